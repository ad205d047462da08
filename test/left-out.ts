// What `npm test` leaves out, so that it takes minutes: `npm run test:all` runs everything, `npm run test:rest` this alone. A test is
// left out for one of these reasons or not at all; a new one runs with the others until it is named here.
import { globSync } from 'node:fs';

export interface LeftOut {
  readonly reason: string;
  /** Patterns of test files. */
  readonly files: readonly string[];
}

const stories = (...names: readonly string[]) => names.map((name) => `test/stories/${name}.test.ts`);

export const LEFT_OUT: readonly LeftOut[] = [
  {
    reason: 'of bounds: 20 MB lines, diffs of 200,000 lines, 100 MB logs, every expression on growing texts',
    files: ['{test,packages}/**/*.bounds.test.ts'],
  },
  { reason: 'of the published package, which is packed and installed', files: ['test/release/packed.test.ts'] },
  {
    reason: 'of `npm run try-github`, which plays all main stories three times over',
    files: ['test/try-github/try-github.test.ts'],
  },
  {
    reason: 'of every page of the account area, empty, usual and full, in a browser: 190 looks',
    files: ['test/web/pages.test.ts'],
  },
  {
    reason: 'of stories beside the main roads',
    files: stories(
      '{action,action-attacks,context-local,demo-script,evaluation,evaluation-github,full-disk,records-moved,replay,restore,second-look,several-processes,subscriptions,uncaught}',
      'hostile-model-floods',
      'model-{faults,killed,opaque,providers,refused}',
      'account/{github-browser,keyboard,local-account}',
      'github/{commands,configuration,context,figures,for-an-agent,fork,manners,modes,monorepo,moves,operators-matters,pinned,try-out,twice,untrusted-links,worker}',
      'github-checks/{agents,asked,base,beside-green,beside-the-point,bisect,bots,both-red,build-logs,changed-lines,default-branch,documentation,fixed,flaky,hostile,infrastructure,known,known-by-people,leaning,matrix,overrides,opened-again,opened-later,rerun-asked}',
      'github-checks/{open-fix,other-ci,past,queue,quiet,quiet-by-rule,quiet-house,refused-answers,regression,rerequested,rerun,result-files,suggestions}',
      'github-deliveries/*',
      'github-outcomes/*',
      'github-proof/*',
      'github-red/*',
    ),
  },
];

/** The stories that run over the second engine as well: few, since each costs some 15 s of processor time; the contract suites hold every verb. */
export const SECOND_ENGINE: Readonly<Record<string, readonly string[]>> = {
  // Reports, runs, steps, Issues, webhooks, erasing; and what processes that were killed leave to the next one.
  postgres: stories('rest-call', 'killed'),
  // Deliveries, threads and pull requests; red checks, and the ledger of their causes.
  'postgres-worker': stories('github/label', 'github-checks/opened-again'),
};

/** A sentence for the end of a run. */
export function describeLeftOut(): string {
  const counted = LEFT_OUT.map(({ reason, files }) => `${globSync([...files]).length} files ${reason}`);
  counted.push(`${Object.values(SECOND_ENGINE).flat().length} files of stories over the second engine, PostgreSQL`);
  return `Left out: ${counted.join('; ')}. npm run test:all runs these too.`;
}
