// The order of test files: what takes long begins first, so that no worker is left alone with it at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first that a path holds decides; each took more than 10 s where the median file took 0.2 s. */
const LONG = ['/contract/postgres-', '/lost-answers', '/killed', '/stories/', '/contract/', '/github/', '/app/'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((part) => moduleId.includes(part));
      return found === -1 ? LONG.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
