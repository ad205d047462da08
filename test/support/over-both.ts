// Which stories `npm test` runs over PostgreSQL as well: few, since each costs some 15 s of processor time; the contract suites hold every verb.

const of = (...names: readonly string[]) => names.map((name) => `test/stories/${name}.test.ts`);

/** By the engine, as STORIES_ENGINE names it. CONTRIBUTING.md says how to run others. */
export const OVER_BOTH: Readonly<Record<string, readonly string[]>> = {
  // Reports, runs, steps, Issues, webhooks, erasing; and what processes that were killed leave to the next one.
  postgres: of('rest-call', 'killed'),
  // Deliveries, threads and pull requests; red checks, and the ledger of their causes.
  'postgres-worker': of('github/label', 'github-checks/opened-again'),
};
