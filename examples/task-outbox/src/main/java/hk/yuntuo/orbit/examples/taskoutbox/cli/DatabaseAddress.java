package hk.yuntuo.orbit.examples.taskoutbox.cli;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/**
 * Where the business database is.
 *
 * @param url a {@code jdbc:mysql:} URL with a schema
 * @param user the user; empty if the URL says it
 * @param password the password; empty for none, or if the URL says it
 */
record DatabaseAddress(String url, String user, String password) {
    static final String URL = "ORBIT_SENDER_JDBC_URL";
    static final String USER = "ORBIT_SENDER_JDBC_USER";
    static final String PASSWORD = "ORBIT_SENDER_JDBC_PASSWORD";

    /** Opens a connection outside any pool. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, properties());
    }

    Properties properties() {
        Properties properties = new Properties();
        if (!user.isEmpty()) {
            properties.setProperty("user", user);
            properties.setProperty("password", password);
        }
        properties.setProperty("connectTimeout", "5000");
        return properties;
    }

    /** The URL may hold a password too. */
    @Override
    public String toString() {
        return "DatabaseAddress";
    }
}
