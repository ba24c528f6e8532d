package hk.yuntuo.orbit.outbox.jpa.enhanced;

import hk.yuntuo.orbit.outbox.jpa.OutboxListener;
import hk.yuntuo.orbit.outbox.jpa.OutboxSource;
import hk.yuntuo.orbit.outbox.support.Requests;
import hk.yuntuo.orbit.outbox.task.SubmitTaskRequest;
import jakarta.persistence.Basic;
import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A source with a lazy text, a lazy collection and a lazy association, all of which its request reads. */
@Entity
@EntityListeners(OutboxListener.class)
@Table(name = "letter")
public class Letter implements OutboxSource, Correspondence {
    @Id
    @Column(name = "operation_id")
    private String operationId = "";

    @Column(name = "note")
    private String note = "";

    @Basic(fetch = FetchType.LAZY)
    @Column(name = "body")
    private String body = "";

    @OneToMany(mappedBy = "letter", cascade = CascadeType.ALL)
    private List<LetterPage> pages = new ArrayList<>();

    @ManyToOne(fetch = FetchType.LAZY)
    @JoinColumn(name = "author_id")
    private @Nullable Author author;

    @Override
    public Letter begin(String id, String text) {
        this.operationId = id;
        this.body = text;
        return this;
    }

    @Override
    public void note(String value) {
        note = value;
    }

    @Override
    public void author(Object value) {
        author = (Author) value;
    }

    /** Only the page's side is set; the enhanced class sets the other. */
    @Override
    public void addPage(String pageId) {
        new LetterPage().begin(pageId, this);
    }

    @Override
    public int pageCount() {
        return pages.size();
    }

    @Override
    public String body() {
        return body;
    }

    @Override
    public String outboxOperationId() {
        return operationId;
    }

    @Override
    public SubmitTaskRequest outboxRequest() {
        String name = author == null ? "" : author.name();
        return Requests.of("{\"body\":\"" + body + "\",\"pages\":" + pages.size() + ",\"author\":\"" + name + "\"}");
    }
}
