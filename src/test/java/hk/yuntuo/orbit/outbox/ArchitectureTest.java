package hk.yuntuo.orbit.outbox;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import hk.yuntuo.orbit.outbox.model.OperationId;
import hk.yuntuo.orbit.outbox.model.OutboxException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/** Where things may be, and what may know of what. */
@AnalyzeClasses(packages = "hk.yuntuo.orbit.outbox", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
    private static final String ROOT = "hk.yuntuo.orbit.outbox";
    private static final String MODEL = ROOT + ".model";
    private static final String TASK = ROOT + ".task";
    private static final String RULES = ROOT + ".internal.rules";
    private static final String STORE = ROOT + ".internal.store";
    private static final String[] API = {ROOT, MODEL, TASK, ROOT + ".spi", ROOT + ".jpa"};

    @ArchTest
    static final ArchRule packagesAreAcyclic =
            slices().matching("hk.yuntuo.orbit.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule modelKnowsNothingOfTheProject = noClasses()
            .that()
            .resideInAPackage(MODEL)
            .should()
            .dependOnClassesThat(resideInAPackage(ROOT + "..").and(DescribedPredicate.not(resideInAPackage(MODEL))));

    @ArchTest
    static final ArchRule rulesKnowValuesOnly = classes()
            .that()
            .resideInAPackage(RULES)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java.lang..", "java.util", "java.time", "org.jspecify..", MODEL, TASK, RULES));

    @ArchTest
    static final ArchRule rulesDoNoIoAndReadNoClockAndDrawNoNumbers = noClasses()
            .that()
            .resideInAPackage(RULES)
            .should()
            .dependOnClassesThat(resideInAnyPackage(
                    "java.sql..",
                    "javax.sql..",
                    "java.net..",
                    "java.io..",
                    "java.nio..",
                    "jakarta..",
                    "org.hibernate..",
                    "org.slf4j..",
                    "java.util.concurrent.."))
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.util.Random")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .accessTargetWhere(readsAWallClock());

    @ArchTest
    static final ArchRule nobodyReadsTheWallClock = noClasses().should().accessTargetWhere(readsAWallClock());

    @ArchTest
    static final ArchRule onlyNewOperationIdsLookAtAClock = noClasses()
            .that()
            .doNotBelongToAnyOf(OperationId.class)
            .should()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.time.Clock");

    @ArchTest
    static final ArchRule statementsAreInTheStoreAndTheSchemaOnly = noClasses()
            .that(DescribedPredicate.not(resideInAPackage(STORE)))
            .and()
            .doNotBelongToAnyOf(OutboxSchema.class)
            .should()
            .accessTargetWhere(makesAStatement());

    @ArchTest
    static final ArchRule theApiShowsNoInternalType =
            classes().that().resideInAnyPackage(API).and().arePublic().should(showNoInternalType());

    @ArchTest
    static final ArchRule exceptionsHaveOneBase = classes()
            .that()
            .resideInAnyPackage(API)
            .and()
            .arePublic()
            .and()
            .areAssignableTo(Throwable.class)
            .should()
            .beAssignableTo(OutboxException.class);

    @ArchTest
    static void everyPackageSaysWhatItIsForAndIsNullMarked(JavaClasses all) {
        Set<String> without = new TreeSet<>();
        all.forEach(type -> {
            JavaPackage itsPackage = type.getPackage();
            if (!itsPackage.isAnnotatedWith(NullMarked.class)) {
                without.add(itsPackage.getName());
            }
        });
        assertEquals(Set.of(), without);
    }

    @ArchTest
    static void theRulesAboveSawTheWholeLibrary(JavaClasses all) {
        for (String name : API) {
            assertTrue(all.containPackage(name), name);
        }
        assertTrue(all.containPackage(RULES) && all.containPackage(STORE));
        assertTrue(all.contain(OutboxSender.class));
        assertTrue(all.stream().noneMatch(type -> type.getPackageName().startsWith(ROOT + ".testing")));
    }

    private static DescribedPredicate<JavaAccess<?>> readsAWallClock() {
        return describe("a read of a wall clock", access -> {
            AccessTarget target = access.getTarget();
            String owner = target.getOwner().getName();
            return switch (target.getName()) {
                case "now" -> owner.startsWith("java.time.");
                case "currentTimeMillis" -> owner.equals("java.lang.System");
                case "<init>" -> owner.equals("java.util.Date") || owner.equals("java.util.GregorianCalendar");
                case "getInstance" -> owner.equals("java.util.Calendar");
                default -> false;
            };
        });
    }

    private static DescribedPredicate<JavaAccess<?>> makesAStatement() {
        Set<String> makers = Set.of("prepareStatement", "createStatement", "prepareCall", "nativeSQL");
        return describe(
                "making a SQL statement",
                access -> makers.contains(access.getTarget().getName())
                        && HasOwner.Predicates.With.<JavaClass>owner(
                                        JavaClass.Predicates.assignableTo("java.sql.Connection"))
                                .test(access.getTarget()));
    }

    private static ArchCondition<JavaClass> showNoInternalType() {
        return new ArchCondition<>("show no internal type") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                shownBy(type)
                        .filter(shown -> shown.getPackageName().startsWith(ROOT + ".internal"))
                        .forEach(shown -> events.add(
                                SimpleConditionEvent.violated(type, type.getName() + " shows " + shown.getName())));
            }
        };
    }

    private static Stream<JavaClass> shownBy(JavaClass type) {
        Stream<JavaType> parents = Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
        Stream<JavaType> parameters = type.getTypeParameters().stream().map(JavaType.class::cast);
        Stream<JavaType> members =
                type.getMembers().stream().filter(ArchitectureTest::isShown).flatMap(ArchitectureTest::typesOf);
        return Stream.of(parents, parameters, members)
                .flatMap(types -> types)
                .flatMap(shown -> shown.getAllInvolvedRawTypes().stream());
    }

    private static boolean isShown(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> typesOf(JavaMember member) {
        if (member instanceof JavaField field) {
            return Stream.of(field.getType());
        }
        JavaCodeUnit unit = (JavaCodeUnit) member;
        List<JavaType> thrown =
                unit.getExceptionTypes().stream().map(JavaType.class::cast).toList();
        return Stream.of(
                        Stream.of(unit.getReturnType()),
                        unit.getParameterTypes().stream(),
                        unit.getTypeParameters().stream().map(JavaType.class::cast),
                        thrown.stream())
                .flatMap(types -> types);
    }
}
