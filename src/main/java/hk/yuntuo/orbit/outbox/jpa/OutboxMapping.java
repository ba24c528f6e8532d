package hk.yuntuo.orbit.outbox.jpa;

import org.hibernate.boot.ResourceStreamLocator;
import org.hibernate.boot.spi.AdditionalMappingContributions;
import org.hibernate.boot.spi.AdditionalMappingContributor;
import org.hibernate.boot.spi.InFlightMetadataCollector;
import org.hibernate.boot.spi.MetadataBuildingContext;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.config.spi.StandardConverters;

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
        if (metadata.getEntityBinding(OutboxEntity.class.getName()) == null && isEnabled(buildingContext)) {
            contributions.contributeEntity(OutboxEntity.class);
        }
    }

    private static boolean isEnabled(MetadataBuildingContext context) {
        return context.getBootstrapContext()
                .getServiceRegistry()
                .requireService(ConfigurationService.class)
                .getSetting(OutboxUnit.MAPPING_ENABLED, StandardConverters.BOOLEAN, true);
    }
}
