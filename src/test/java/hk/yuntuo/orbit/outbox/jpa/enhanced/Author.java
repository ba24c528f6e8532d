package hk.yuntuo.orbit.outbox.jpa.enhanced;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** No source. */
@Entity
@Table(name = "author")
public class Author {
    @Id
    private String id = "";

    private String name = "";

    String name() {
        return name;
    }
}
