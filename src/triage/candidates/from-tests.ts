// Clues from tests: a failing test named `HeaderTest` is about the file called `Header`.
import { fileKind } from '../file-kind.ts';
import { fileName, type PathIndex } from '../path-index.ts';
import type { Clue } from './clue.ts';

const TESTED = 0.6;

/** What the given test files test, by their names. */
export function testedClues(index: PathIndex, tests: readonly string[]): readonly Clue[] {
  return [...new Set(tests)].flatMap((test, order) => {
    const subject = subjectOf(fileName(test));
    if (subject === null) return [];
    const files = (index.byName.get(subject.toLowerCase()) ?? []).filter((path) => fileKind(path) === 'source');
    return files.slice(0, 5).map(
      (path): Clue => ({
        kind: 'tested',
        path,
        line: 0,
        function: '',
        strength: (TESTED * 0.85 ** order) / files.length,
        reason: `tested by \`${fileName(test)}\`, judging by the file name`,
      }),
    );
  });
}

/** `LocaleUtilsTest.java` → `LocaleUtils.java`, `test_header.py` → `header.py`, `a.spec.ts` → `a.ts`, `x_test.go` → `x.go`. */
function subjectOf(name: string): string | null {
  const subject = name
    .replace(/^test_(?=.+\.py$)|^Test(?=[A-Z]\w*\.(?:java|kt|cs|scala|groovy|php)$)/, '')
    .replace(/[._-](?:tests?|spec|specs|e2e)(?=\.\w+$)/, '')
    .replace(/(?:Tests?|IT|Spec|TestCase)(?=\.\w+$)/, '');
  return subject === name || subject.startsWith('.') ? null : subject;
}
