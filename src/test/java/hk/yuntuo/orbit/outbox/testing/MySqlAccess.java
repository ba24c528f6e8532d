package hk.yuntuo.orbit.outbox.testing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** An address and the login of a user who may create schemas there. */
record MySqlAccess(JdbcAddress address, String user, String password) {

    private static final String PROBE_MILLIS = "5000";

    Connection connect(String schema) throws SQLException {
        return DriverManager.getConnection(address.url(schema), user, password);
    }

    /** Logs in once and answers the server's version; never waits for long, whoever listens at the port. */
    String probe() throws SQLException {
        Properties login = new Properties();
        login.setProperty("user", user);
        login.setProperty("password", password);
        login.setProperty("connectTimeout", PROBE_MILLIS);
        login.setProperty("socketTimeout", PROBE_MILLIS);
        try (Connection connection = DriverManager.getConnection(address.url(""), login);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT VERSION()")) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public String toString() {
        return user + "@" + address;
    }
}
