package hk.yuntuo.orbit.outbox.jpa;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Set;
import org.hibernate.bytecode.enhance.spi.DefaultEnhancementContext;
import org.hibernate.bytecode.enhance.spi.Enhancer;
import org.hibernate.bytecode.internal.BytecodeProviderInitiator;

/** Defines the named classes itself, enhanced as by Hibernate's build plugins with everything switched on; the rest is its parent's. */
final class EnhancingClassLoader extends ClassLoader {
    private final Set<String> enhanced;
    private final Enhancer enhancer;

    EnhancingClassLoader(Set<String> enhanced) {
        super(EnhancingClassLoader.class.getClassLoader());
        this.enhanced = enhanced;
        this.enhancer = BytecodeProviderInitiator.buildDefaultBytecodeProvider()
                .getEnhancer(new DefaultEnhancementContext() {
                    @Override
                    public ClassLoader getLoadingClassLoader() {
                        return getParent();
                    }
                });
        enhanced.forEach(name -> enhancer.discoverTypes(name, bytes(name)));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!enhanced.contains(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) {
        byte[] bytes = Objects.requireNonNull(enhancer.enhance(name, bytes(name)), name + " was not enhanced");
        return defineClass(name, bytes, 0, bytes.length);
    }

    private byte[] bytes(String name) {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            return Objects.requireNonNull(file, name).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
