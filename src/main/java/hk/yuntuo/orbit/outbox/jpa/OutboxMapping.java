package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.Locale;
import java.util.Map;
import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;
import org.hibernate.cfg.SchemaToolingSettings;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.tool.schema.Action;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps {@link OutboxEntity} in every persistence unit that does not name it, unless {@link OutboxUnit#MAPPING_ENABLED} is false, or is not set
 * and Hibernate would write the unit's schema.
 */
public final class OutboxMapping implements AdditionalMappingContributor {
    private static final Logger LOG = LoggerFactory.getLogger(OutboxMapping.class);

    /** For Hibernate, which finds it as a Java service. */
    public OutboxMapping() {}

    @Override
    public String getContributorName() {
        return "orbit-outbox";
    }

    @Override
    public void contribute(
            AdditionalMappingContributions contributions,
            InFlightMetadataCollector metadata,
            ResourceStreamLocator resourceStreamLocator,
            MetadataBuildingContext buildingContext) {
        if (isEnabled(buildingContext) && metadata.getEntityBinding(OutboxEntity.class.getName()) == null) {
            contributions.contributeEntity(OutboxEntity.class);
        }
    }

    private static boolean isEnabled(MetadataBuildingContext context) {
        ConfigurationService settings =
                context.getBootstrapContext().getServiceRegistry().requireService(ConfigurationService.class);
        Boolean set = settings.getSetting(OutboxUnit.MAPPING_ENABLED, OutboxMapping::trueOrFalse);
        if (set != null) {
            return set;
        }
        if (isSchemaGenerated(settings.getSettings())) {
            LOG.warn(
                    "outbox.boot OutboxEntity is not mapped, because Hibernate would generate, drop or empty its table with the"
                            + " schema of this unit: the table and its commands belong to the changelog. {}=true maps it"
                            + " nonetheless, false ends this warning.",
                    OutboxUnit.MAPPING_ENABLED);
            return false;
        }
        return true;
    }

    private static boolean isSchemaGenerated(Map<String, Object> settings) {
        Object action = settings.get(SchemaToolingSettings.JAKARTA_HBM2DDL_DATABASE_ACTION);
        return writes(Action.interpretJpaSetting(action))
                || writes(Action.interpretHbm2ddlSetting(settings.get(SchemaToolingSettings.HBM2DDL_AUTO)));
    }

    private static boolean writes(Action action) {
        return action != Action.NONE && action != Action.VALIDATE;
    }

    /** Hibernate's own converter takes every other text for false. */
    private static Boolean trueOrFalse(Object value) {
        return switch (value.toString().toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new InvalidInputException(OutboxUnit.MAPPING_ENABLED, "must be true or false", value);
        };
    }
}
