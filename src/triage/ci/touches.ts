// Whether a change touches what a failure names.
import type { CheckEvidence } from './evidence.ts';

/** Paths of the change that the failure names as well, by their own path or the end of it, sorted. */
export function changedPlaces({ changed, read }: Pick<CheckEvidence, 'changed' | 'read'>): readonly string[] {
  if (!changed) return [];
  const named = [...new Set(read.places.map(({ path }) => path))];
  const touched = changed.paths.filter(
    (path) => named.some((name) => isSame(path, name)) || isTested(path, read.excerpt.tests),
  );
  return [...new Set(touched)].sort();
}

/** Logs name files by the end of their path or with folders in front; a bare file name could be any of its name. */
function isSame(path: string, name: string): boolean {
  if (path === name) return true;
  const isDeep = name.includes('/') && path.endsWith(`/${name}`);
  return isDeep || (path.includes('/') && name.endsWith(`/${path}`));
}

/** A class is its file: `com.shop.CartTest.adds` is in `src/test/java/com/shop/CartTest.java`. */
function isTested(path: string, tests: readonly string[]): boolean {
  if (!/.\/.{1,400}\.(?:java|kt|scala|groovy|py)$/.test(path)) return false;
  const name = path
    .replace(/\.\w+$/, '')
    .split('/')
    .slice(-2)
    .join('.');
  return tests.some((test) => test.includes(`${name}.`) || test.includes(`${name})`) || test.endsWith(name));
}
