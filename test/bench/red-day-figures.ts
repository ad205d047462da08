// What a made day of red checks has cost, read from the service's records, the double's and the model's; printed as tables.
import type { Finding } from '../../src/core/head.ts';
import type { AskedRequest } from '../support/model-endpoint.ts';
import { PRICES } from '../support/model-service.ts';
import { textsIn } from '../support/played-model.ts';
import type { BenchStage } from './bench-stage.ts';
import { say, table } from './figures.ts';
import { gitRequests } from './label.ts';
import { KINDS, type Kind, MIX } from './red-day-mix.ts';
import { openRecords } from './rest.ts';
import { callsIn } from './routes.ts';

export interface Day {
  /** What had been asked and told before. */
  readonly from: { readonly calls: number; readonly git: number; readonly told: number };
  /** `head`: name of the repository and sha, as in {@link FoundRow}: two repositories may well have the same commit. */
  readonly red: readonly { readonly head: string; readonly kind: Kind; readonly checks: number }[];
  readonly questions: readonly AskedRequest[];
}

interface FoundRow {
  readonly head: string;
  readonly finding: string;
  readonly investigation: string | null;
}

const FOUND = `SELECT projects.name || ' ' || heads.sha AS head, finding, investigation_id AS investigation
  FROM findings JOIN heads ON heads.id = findings.head_id JOIN projects ON projects.id = heads.project_id
  ORDER BY heads.seq, findings.number`;

export function printDay(stage: BenchStage, day: Day): void {
  using records = openRecords(stage);
  const one = (sql: string) => records.query<number>(sql, true)()[0] ?? 0;
  const found = records.query<FoundRow>(FOUND)();
  const checks = day.red.reduce((sum, { checks }) => sum + checks, 0);
  const investigations = one('SELECT count(*) FROM investigations WHERE verdict IS NOT NULL');
  const calls = callsIn(stage.seen.slice(day.from.calls));
  const total = [...calls.values()].reduce((sum, count) => sum + count, 0);
  const git = gitRequests(stage) - day.from.git;
  say(
    table(
      ['', 'number'],
      [
        ['red checks', String(checks)],
        ['red heads', String(day.red.length)],
        ['heads that the service noted, green ones among them', String(one('SELECT count(*) FROM heads'))],
        ['events told', String(stage.told.length - day.from.told)],
        ['findings (causes of a head)', String(found.length)],
        ['distinct failures', String(one('SELECT count(*) FROM failures'))],
        ['red checks in the ledger', String(one('SELECT sum(hits) FROM failures'))],
        ['investigations', String(investigations)],
        ...modelRows(day.questions, investigations),
        [
          'calls of the API',
          `${total}; ${(total / checks).toFixed(2)} a red check, ${(total / day.red.length).toFixed(1)} a red head`,
        ],
        ['requests of git', String(git)],
        ...writtenRows(stage),
      ],
    ),
  );
  say(`\n${byKind(day, found)}`);
  const rows = [...calls].toSorted((a, b) => b[1] - a[1]).map(([route, count]) => [`\`${route}\``, String(count)]);
  say(`\n${table(['call', 'times'], rows)}`);
  printNotBegun(found);
}

const CHARACTERS_PER_TOKEN = 4;

/** Tokens are estimates of four characters; what the question before of the same investigation began with counts as cached. */
function modelRows(questions: readonly AskedRequest[], investigations: number): readonly (readonly string[])[] {
  const before = new Map<string, string>();
  let [prompt, cached, completion] = [0, 0, 0];
  for (const question of questions) {
    const texts = textsIn(question);
    const conversation = texts.slice(0, 2).join('\n');
    const whole = JSON.stringify(question.body.messages);
    const shared = sharedStart(before.get(conversation) ?? '', whole);
    prompt += question.raw.length / CHARACTERS_PER_TOKEN;
    cached += shared / CHARACTERS_PER_TOKEN;
    before.set(conversation, whole);
    completion += spokenIn(question) / CHARACTERS_PER_TOKEN;
  }
  const usd = ((prompt - cached) * PRICES.prompt + cached * PRICES.cached + completion * PRICES.completion) / 1e6;
  const thousands = (tokens: number) => `${Math.round(tokens / 1_000)}k`;
  return [
    ['questions to the model', String(questions.length)],
    ['prompt tokens (of these repeated)', `${thousands(prompt)} (${Math.round((100 * cached) / prompt)} %)`],
    [`dollars at ${PRICES.prompt}, ${PRICES.cached} and ${PRICES.completion} a million`, usd.toFixed(2)],
    ['dollars at 0.15 an investigation, as the forecast has it', (investigations * 0.15).toFixed(2)],
  ];
}

function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Characters of the last turn that the model has played before. */
function spokenIn({ body }: AskedRequest): number {
  const last = body.messages.findLast(({ role }) => role === 'assistant');
  return last === undefined ? 0 : JSON.stringify(last).length;
}

function writtenRows({ double }: BenchStage): readonly (readonly string[])[] {
  const repositories = [...double.state.repositories.values()];
  const of = <T>(pick: (repository: (typeof repositories)[number]) => Iterable<T>) =>
    repositories.flatMap((repository) => [...pick(repository)]);
  const { id, botId } = double.app;
  const ours = of(({ comments }) => comments.values()).filter(({ authorId }) => authorId === botId);
  const runs = of(({ checkRuns }) => checkRuns.values()).filter(({ appId }) => appId === id);
  const pulls = of(({ issues }) => issues.values()).filter(({ authorId, pull }) => authorId === botId && pull !== null);
  const pullCount = new Set(
    ours.map(({ issueNumber, id: comment }) => `${repositoryOf(repositories, comment)} ${issueNumber}`),
  );
  return [
    ['our check runs', String(runs.length)],
    ['our comments (on so many pull requests)', `${ours.length} (${pullCount.size})`],
    ['our suggestions', String(of(({ reviewComments }) => reviewComments.values()).length)],
    ['our draft pull requests', String(pulls.length)],
  ];
}

function repositoryOf(
  repositories: readonly { readonly name: string; readonly comments: ReadonlyMap<number, unknown> }[],
  comment: number,
): string {
  return repositories.find(({ comments }) => comments.has(comment))?.name ?? '';
}

/** An investigation counts where it was seen first. */
function byKind({ red }: Day, found: readonly FoundRow[]): string {
  const first = new Map<string, string>();
  for (const { investigation, head } of found) {
    if (investigation && !first.has(investigation)) first.set(investigation, head);
  }
  const rows = KINDS.map((kind) => {
    const heads = red.filter((one) => one.kind === kind);
    const names = new Set(heads.map(({ head }) => head));
    const findings = found.filter(({ head }) => names.has(head));
    const verdicts = new Map<string, number>();
    for (const row of findings) {
      const { verdict } = JSON.parse(row.finding) as Finding;
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    }
    return [
      MIX[kind].what,
      String(heads.reduce((sum, { checks }) => sum + checks, 0)),
      String(heads.length),
      String(findings.length),
      [...verdicts].map(([verdict, count]) => `${verdict} ${count}`).join(', '),
      String([...first.values()].filter((head) => names.has(head)).length),
    ];
  });
  return table(['kind', 'red checks', 'heads', 'findings', 'verdict at the end', 'investigations'], rows);
}

function printNotBegun(found: readonly FoundRow[]): void {
  const why = new Map<string, number>();
  for (const row of found) {
    const { notBegun } = JSON.parse(row.finding) as Finding;
    if (notBegun !== null) why.set(notBegun.code, (why.get(notBegun.code) ?? 0) + 1);
  }
  say(
    `\n${table(
      ['why none was begun', 'findings'],
      [...why].map(([words, count]) => [words, String(count)]),
    )}`,
  );
}
