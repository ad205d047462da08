// Answers that the review had refused, which the first release showed all the same: the facts of their runs replace them.
// What that release wrote is read as it wrote it, so nothing here follows later changes of the code.
import { type Kysely, sql } from 'kysely';

/** What it said where it refused an answer; it kept no other sign of that. */
const OTHER_FAILURE =
  'None of the quotes is about the failed check: not the failing test, its error, its stack trace or the change under test.';
const UNPROVEN = [
  'no commit that was seen in the history is named as the fix',
  'no quotation from the repository shows that the commit fixes it',
  'no quotation from the repository shows that this is intended',
  'action_recommended needs at least one quotation that holds, and none does',
  'no quotation that holds shows the cause, so the edits are only a guess',
  'only the report is quoted and nothing from the repository, so the edits are a guess',
  'a code fix was announced, but no file was changed',
  'the change only touches comments and blanks',
].map((why) => `Not shown: ${why}.`);

const EDITS = new Set(['replace', 'create_file', 'delete_file', 'rename_file']);

type StoredObject = Readonly<Record<string, unknown>>;

interface StoredRun {
  readonly id: string;
  readonly conclusion: string;
}

interface EarlierConclusion extends StoredObject {
  readonly analysis: StoredObject & {
    readonly outcome: string;
    readonly model: string | null;
    readonly reason: string;
  };
}

/** What a run had found before its model answered. */
interface FoundFacts {
  /** The conclusion that the facts allow; null: it is not kept. */
  readonly facts: EarlierConclusion | null;
  /** Up to the first edit, without the model's remarks. */
  readonly steps: readonly StoredObject[];
}

export async function discardRefusedAnswers(database: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from runs
    where conclusion like '%"outcome":"inconclusive"%' order by seq`.execute(database);
  for (const { id } of rows) {
    const read = await sql<StoredRun>`select id, conclusion from runs where id = ${id}`.execute(database);
    for (const run of read.rows) await discardRefused(database, run);
  }
}

async function discardRefused(database: Kysely<unknown>, { id, conclusion: text }: StoredRun): Promise<void> {
  const conclusion = JSON.parse(text) as EarlierConclusion;
  const reason = describeRefusedAnswer(conclusion);
  if (reason === null) return;
  const found = await readFound(database, id);
  const { problem, likeliest } = await readProblem(database, id, found.facts);
  const { analysis } = conclusion;
  const facts = found.facts?.analysis;
  const look = analysis['secondLook'] as StoredObject | null | undefined;
  const replaced = {
    ...conclusion,
    problem,
    rootCause: `I don't know the cause.${likeliest}`,
    stepsToReproduce: found.facts?.['stepsToReproduce'] ?? [],
    solutionSteps: found.facts?.['solutionSteps'] ?? [],
    changeSet: { base: analysis['revision'], files: [] },
    investigationSteps: found.steps,
    analysis: {
      ...analysis,
      reason,
      confidence: null,
      suspects: facts?.['suspects'] ?? [],
      citations: facts?.['citations'] ?? [],
      guards: [],
      questions: facts?.['questions'] ?? [],
      ...('ownership' in analysis && { ownership: null }),
      ...(look && { secondLook: { ...look, reason: '', evidence: [] } }),
    },
  };
  const count = found.steps.length;
  await sql`update runs set conclusion = ${JSON.stringify(replaced)}, step_count = ${count} where id = ${id}`.execute(
    database,
  );
  await sql`delete from steps where run_id = ${id} and number > ${count}`.execute(database);
}

/** Null: the answer was not refused. What cut the run short is kept. */
function describeRefusedAnswer({ analysis: { outcome, model, reason } }: EarlierConclusion): string | null {
  if (outcome !== 'inconclusive' || model === null) return null;
  const said = [OTHER_FAILURE, ...UNPROVEN].find((sentence) => reason.includes(sentence));
  if (said === undefined) return null;
  const discarded =
    said === OTHER_FAILURE
      ? "The model's answer wasn't about this failure and was discarded."
      : "The model's answer was discarded: it doesn't prove what it says.";
  return `${reason.slice(0, reason.indexOf(said))}${discarded}`;
}

/** Of the run itself, or of the one whose answer it took over. */
async function readFound(database: Kysely<unknown>, runId: string): Promise<FoundFacts> {
  const own = await readEntries(database, runId);
  if (own.length > 0) return toFound(own);
  const { rows } = await sql<{ run_id: string }>`select first.run_id from issues
    join issues first on first.id = issues.same_as where issues.run_id = ${runId}`.execute(database);
  const [first] = rows;
  return toFound(first === undefined ? [] : await readEntries(database, first.run_id));
}

async function readEntries(database: Kysely<unknown>, runId: string): Promise<readonly StoredObject[]> {
  const { rows } = await sql<{ entry: string }>`select entry from transcript_entries
    where run_id = ${runId} order by seq`.execute(database);
  return rows.map(({ entry }) => JSON.parse(entry) as StoredObject);
}

function toFound([first, ...records]: readonly StoredObject[]): FoundFacts {
  if (first?.['kind'] !== 'facts') return { facts: null, steps: [] };
  const facts = first['conclusion'] as EarlierConclusion;
  return { facts, steps: [...(facts['investigationSteps'] as readonly StoredObject[]), ...listLookups(records)] };
}

function listLookups(records: readonly StoredObject[]): readonly StoredObject[] {
  const lookups: StoredObject[] = [];
  let calls: string[] = [];
  for (const record of records.filter(({ conversation }) => conversation === undefined)) {
    if (record['kind'] === 'turn') calls = (record['toolCalls'] as readonly { name: string }[]).map(({ name }) => name);
    if (record['kind'] !== 'answer') continue;
    if (EDITS.has(calls.shift() ?? '')) return lookups;
    const reply = record['reply'] as { readonly kind: string; readonly step?: StoredObject };
    if (reply.kind === 'step' && reply.step !== undefined) lookups.push(toStoredStep(reply.step));
  }
  return lookups;
}

function toStoredStep({ action, result, analysis, source, repository }: StoredObject): StoredObject {
  return {
    action,
    result,
    analysis,
    ...(source !== undefined && { source }),
    ...(repository !== undefined && { repository }),
  };
}

/** The error of the failed check, else the report's own title; and the place that the facts point at. */
async function readProblem(database: Kysely<unknown>, runId: string, facts: EarlierConclusion | null) {
  const failed = await sql<{ headline: string }>`select failures.headline from failures
    join investigations on investigations.id = failures.investigation_id
    where investigations.run_id = ${runId} and failures.headline <> ''`.execute(database);
  const reported = await sql<{ text: string }>`select text from investigations
    where run_id = ${runId} order by seq limit 1`.execute(database);
  const lines = (reported.rows[0]?.text ?? '').split('\n').map((line) => line.trim());
  const title = lines.find((line) => line !== '') ?? '';
  const [suspect] = (facts?.analysis['suspects'] ?? []) as readonly { readonly file: string; readonly line: number }[];
  const place = suspect === undefined ? '' : `${suspect.file}${suspect.line > 0 ? `:${suspect.line}` : ''}`;
  return {
    problem: failed.rows[0]?.headline ?? facts?.['problem'] ?? title.slice(0, 300),
    likeliest: place === '' ? '' : ` Closest match: \`${place.replaceAll('`', "'")}\`.`,
  };
}
