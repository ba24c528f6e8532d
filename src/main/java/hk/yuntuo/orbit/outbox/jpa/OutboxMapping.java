package hk.yuntuo.orbit.outbox.jpa;

import hk.yuntuo.orbit.outbox.model.InvalidInputException;
import java.util.Locale;
import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;
import org.hibernate.engine.config.spi.ConfigurationService;

/** Maps {@link OutboxEntity} in every persistence unit that does not name it, unless {@link OutboxUnit#MAPPING_ENABLED} is false. */
public final class OutboxMapping implements AdditionalMappingContributor {
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
        return context.getBootstrapContext()
                .getServiceRegistry()
                .requireService(ConfigurationService.class)
                .getSetting(OutboxUnit.MAPPING_ENABLED, OutboxMapping::trueOrFalse, true);
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
