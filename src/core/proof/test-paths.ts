// Which files of somebody else's change are tests alone, by their paths: what ships with a program is code, also where it helps to test.
import { toComparablePath } from 'causeway-paths';

/** Those of frameworks and of data for tests; `unittests`, `Shop.Tests`, `ts-tests`. `testing` and `…test` are mostly parts that ship. */
const TEST_FOLDER =
  /^(?:tests?|__tests__|__tests|specs?|e2e|testdata|fixtures?|__mocks__|__snapshots__|snapshots|androidtest|cypress|(?:integration|unit|functional|acceptance|smoke|e2e)[-_]?test|[^/]+tests)$/;
/** `contests`, `protests` and `attests` end like folders of tests. */
const NO_TEST_FOLDER = /^(?:con|pro|at)tests$/;
/** Of Kotlin and Gradle, such as `src/jvmTest/kotlin`. */
const SOURCE_SET = /(?:^|\/)src\/[a-z]\w{0,60}Test\w{0,60}\/(?:kotlin|java|groovy|scala|resources)\//;
/** All below it ships: what stands before may be a folder of tests. */
const MAIN = '/src/main/';

/** What people write before a dot or as the whole name, in which language. */
const TEST_NAME =
  /\.(?:tests?|specs?|e2e|cy|snap)(?:-d)?\.[^./]+$|\.(?:snap|approved\.[^./]+|golden|feature)$|^conftest\.py$|^test_[^/]+\.py$|^tests\.rs$|_test\.(?:go|py|rb|exs?|dart|php|[cm]?[jt]sx?|c|cc|cpp)$|_spec\.(?:rb|lua|cr|[cm]?[jt]sx?)$/;
/** By their capital letter: `Quit.java` and `Latest.cs` are none. */
const TEST_CLASS =
  /Tests?\.(?:java|kt|cs|scala|groovy|php|swift)$|[a-z0-9_]IT\.(?:java|kt|groovy|scala)$|Spec\.(?:groovy|scala)$/;
/** A program may have a command or a kind of value by that name, which then lies with its source. */
const WHOLE_NAME = /^tests?\.(?:py|rb|php|lua|[cm]?[jt]sx?)$/;
const SOURCE_FOLDER = /^(?:src|source|lib|app|client|server|cmd|scripts|tools|commands)$/;

const STEPS_FOLDER = /^(?:step_?definitions?|steps|support)$/;

/** Code that were taken for a test would run without the rest of the change; a test that is taken for code proves nothing. */
export function isTestAlone(path: string): boolean {
  const main = path.indexOf(MAIN);
  const plain = toComparablePath(path);
  const parts = plain.split('/');
  const name = parts.at(-1) ?? '';
  const folders = (main === -1 ? plain : toComparablePath(path.slice(0, main)).concat('/')).split('/').slice(0, -1);
  if (folders.some((folder, at) => isTestFolder(folder, { path, at, name }))) return true;
  if (main !== -1) return false;
  if (SOURCE_SET.test(path) || TEST_NAME.test(name) || TEST_CLASS.test(path)) return true;
  if (WHOLE_NAME.test(name)) return !folders.some((folder) => SOURCE_FOLDER.test(folder));
  // Cucumber's, and behave's; elsewhere features are parts of a program.
  const features = folders.indexOf('features');
  return features !== -1 && (features === 0 || folders.slice(features).some((folder) => STEPS_FOLDER.test(folder)));
}

interface PlacedFolder {
  readonly path: string;
  readonly at: number;
  /** Of the file. */
  readonly name: string;
}

function isTestFolder(folder: string, { path, at, name }: PlacedFolder): boolean {
  // Such as pytest's own.
  if (folder === 'testing' && at === 0) return name.endsWith('.py');
  if (!TEST_FOLDER.test(folder) || NO_TEST_FOLDER.test(folder)) return false;
  // By their conventions these hold parts that ship: `Test/` what helps others to test, beside `Tests/`; `spec/` any description.
  if (name.endsWith('.php') && path.split('/')[at] === 'Test') return false;
  return !(name.endsWith('.go') && /^specs?$/.test(folder));
}
