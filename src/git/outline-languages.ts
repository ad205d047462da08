// Which outline rules belong to which file.
import { C, GO, JVM, RUST, SHARP } from './outline-compiled.ts';
import type { OutlineLanguage } from './outline-rule.ts';
import { PHP, PYTHON, RUBY, SCRIPT } from './outline-scripting.ts';

const BY_EXTENSION: Readonly<Record<string, OutlineLanguage>> = Object.fromEntries(
  (
    [
      ['ts tsx mts cts js jsx mjs cjs vue svelte', SCRIPT],
      ['py pyi', PYTHON],
      ['java kt kts groovy scala', JVM],
      ['go', GO],
      ['rs', RUST],
      ['cs', SHARP],
      ['rb rake', RUBY],
      ['php', PHP],
      ['c h cc cpp cxx hh hpp hxx m mm', C],
    ] as const
  ).flatMap(([extensions, language]) => extensions.split(' ').map((extension) => [extension, language])),
);

/** The language of a file by its extension; null for one that has no outline here. */
export function outlineLanguageOf(path: string): OutlineLanguage | null {
  const extension = /\.([A-Za-z]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(BY_EXTENSION, extension) ? (BY_EXTENSION[extension] ?? null) : null;
}
