// Versions that paths of installed packages name: eggs, wheels, Cargo's registry, Go's module cache.
import type { Trace } from './frames/frame.ts';
import type { NamedVersion } from './versions.ts';

const FORMS = [
  /(?:^|\/)([A-Za-z0-9][\w.]{0,100})-(\d[\w.]{0,40})(?:-[^/]{1,120})?\.(?:egg|whl)\//,
  /(?:^|\/)registry\/src\/[^/]{1,100}\/([\w-]{1,100}?)-(\d[\w.+-]{0,40})\//,
  /(?:^|\/)([^@\s]{1,200})@v(\d[\w.+-]{0,60})\/[^@]{1,300}\.go$/,
];
const MODULE_CACHE = /^.*\/pkg\/mod\//;

/** Each package's version once, in the order of the frames; said of that package alone. */
export function installedVersions(traces: readonly Trace[]): readonly NamedVersion[] {
  const found = new Map<string, NamedVersion>();
  for (const { file } of traces.flatMap(({ frames }) => frames)) {
    const path = file.replaceAll('\\', '/').replace(MODULE_CACHE, '');
    const match = FORMS.map((form) => form.exec(path)).find((one) => one !== null);
    if (!match) continue;
    const [, name = '', version = ''] = match;
    const of = name.toLowerCase();
    found.set(`${of} ${version}`, { version, of, context: of, labelled: false, foreign: false, fine: false });
  }
  return [...found.values()];
}
