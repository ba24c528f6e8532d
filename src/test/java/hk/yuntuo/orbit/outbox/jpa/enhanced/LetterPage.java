package hk.yuntuo.orbit.outbox.jpa.enhanced;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/** A page, which owns the association with its letter. */
@Entity
@Table(name = "letter_page")
public class LetterPage {
    @Id
    private String id = "";

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "letter_id")
    private @Nullable Letter letter;

    void begin(String pageId, Letter of) {
        this.id = pageId;
        this.letter = of;
    }
}
