package hk.yuntuo.orbit.outbox.jpa.enhanced;

/** A letter for code that cannot name its enhanced class. */
public interface Correspondence {
    Correspondence begin(String id, String text);

    void note(String value);

    void author(Object value);

    void addPage(String pageId);

    int pageCount();

    String body();
}
