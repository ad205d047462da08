// A house whose model is the attacker: real git, real tools, a real store on disk; only what the model says is made up.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { toUnifiedPatch } from 'causeway-diff';
import type { Model, ModelRequest, ModelTurn } from 'causeway-models';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { openInvestigator } from '../../src/app/model.ts';
import { openServices, startWork } from '../../src/app/services.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import { createLog } from '../../src/log.ts';
import { acceptReport } from '../../src/services/accept-report.ts';
import { waitForEnd } from '../../src/services/follow.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { PATIENCE_MS } from './patience.ts';
import { recordsPlace } from './records.ts';
import { temporaryFolder } from './service.ts';
import { placesWith } from './stored-text.ts';

interface Said {
  readonly say?: string;
  readonly calls?: readonly (readonly [name: string, args: unknown])[];
}

/** Turns in order, the last of them for ever; a function sees what the model was shown and makes its turn of it. */
export type Attack = readonly (Said | ((request: ModelRequest) => Said))[];

interface Outcome {
  readonly issue: Issue;
  /** What `git apply` would be given. */
  readonly patch: string;
  /** All that the model was shown, in the order of its questions. */
  readonly asked: readonly ModelRequest[];
}

export interface HostileHouse extends AsyncDisposable {
  readonly repository: GitRepository;
  readonly folder: string;
  /** `turns` may be a model of its own. */
  attack(turns: Attack | Model, report?: string): Promise<Outcome>;
  /** The stored files and tables that hold the text. */
  stored(text: string): Promise<readonly string[]>;
}

const NO_TOKENS = { promptTokens: 100, cachedTokens: 0, completionTokens: 10, estimated: false };

/** A house over one repository with these files; `prepare` may do more with it. */
export async function hostileHouse(
  files: Readonly<Record<string, string | Buffer>>,
  prepare: (repository: GitRepository) => Promise<void> = async () => {},
): Promise<HostileHouse> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  await repository.commit(files, 'Shop');
  await prepare(repository);
  const folder = opening.use(await temporaryFolder()).path;
  const log = createLog({ level: 'silent' });
  const now = () => new Date();
  const house = opening.use(
    await openServices({
      database: await recordsPlace(folder),
      encryptionKey: randomBytes(32),
      lexicon: path.join(folder, 'lexicon'),
      git: { folder: path.join(folder, 'mirrors'), environment: { PATH: process.env['PATH'] } },
      callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
      log,
      now,
    }),
  );
  const source = { kind: 'path', path: repository.path } as const;
  const [project] = await house.store.syncProjects([{ name: 'local/shop', source }], now().toISOString());
  const attacker = hostileModel();
  opening.use(
    startWork(house, { concurrency: 1, investigationTimeoutMs: PATIENCE_MS, investigator: withModel(attacker) }),
  );
  const opened = opening.move();
  let reports = 0;
  return {
    repository,
    folder,
    attack: async (turns, report = 'The total of the cart is wrong.') => {
      attacker.play(turns);
      reports += 1;
      const about = { projectId: project?.id ?? '', accountId: house.account.id, origin: 'api' } as const;
      const text = `${report}\n\nReport ${reports}`;
      const standing = { isTrusted: true, settings: DEFAULT_SETTINGS };
      const own = { ...about, ...standing, text, reference: '', revision: '', callbackUrl: '', fresh: true };
      const accepted = await acceptReport(house, own);
      if (accepted.kind !== 'accepted') throw new Error(accepted.kind);
      const end = await waitForEnd(house, accepted.investigationId, PATIENCE_MS, new AbortController().signal);
      if (end?.outcome.state !== 'concluded') throw new Error(`not concluded: ${JSON.stringify(end?.outcome)}`);
      const issue = await house.store.findIssue(end.outcome.issueId);
      const changes = await house.store.findChangeSet(end.outcome.issueId);
      if (issue === null || changes === null) throw new Error('the issue is not there');
      return { issue, patch: toUnifiedPatch(changes), asked: attacker.asked };
    },
    stored: (text) => placesWith(folder, text),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The real tools, budgets and checks of `MODEL=…`, with the attacker in the model's place. */
function withModel(model: Model) {
  const budget = { run: 1_000, repository: 10_000, all: 10_000 };
  const file = path.join(import.meta.dirname, '..', 'fixtures', 'empty-script.json');
  const config = { model: { kind: 'scripted', file }, budget, monitoringFile: null, environment: {} } as const;
  const log = createLog({ level: 'silent' });
  const { investigator } = openInvestigator({
    config,
    log,
    now: () => new Date(),
    patienceMs: 1_000,
  });
  return investigator && { ...investigator, model };
}

interface Attacker extends Model {
  readonly asked: readonly ModelRequest[];
  play(turns: Attack | Model): void;
}

function hostileModel(): Attacker {
  let turns: Attack | Model = [];
  let asked: ModelRequest[] = [];
  return {
    name: 'hostile',
    prices: null,
    get asked() {
      return asked;
    },
    play: (attack) => {
      turns = attack;
      asked = [];
    },
    ask: async (request, signal) => {
      asked.push(request);
      if ('ask' in turns) return turns.ask(request, signal);
      const played = turns[Math.min(asked.length, turns.length) - 1] ?? {};
      return turnOf(typeof played === 'function' ? played(request) : played, asked.length);
    },
  };
}

function turnOf({ say = '', calls = [] }: Said, turn: number): ModelTurn {
  const raw = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args));
  const toolCalls = calls.map(([name, args], at) => ({ id: `call_${turn}_${at}`, name, arguments: raw(args) }));
  return { content: say, toolCalls, usage: NO_TOKENS };
}

export const SHOP = {
  'src/total.ts': 'export function total(cart: { sum: number }) {\n  return cart.sum + 1;\n}\n',
  'src/greeting.ts': "export const greeting = 'hello';\n",
  'package.json': '{ "name": "shop", "version": "1.0.0" }\n',
} as const;

/** A line of the shop that any claim can be hung on. */
export const CAUSE = 'return cart.sum + 1;';

export type Call = readonly [name: string, args: unknown];

export const LOOK: Call = ['read_files', { files: [{ path: 'src/total.ts' }] }];

export const MEND: Call = ['replace', { path: 'src/total.ts', old: 'cart.sum + 1', new: 'cart.sum' }];

export function creates(path: string, content = 'x\n'): Call {
  return ['create_file', { path, content }];
}

/** The number of the first answer that holds `text`, the query included; 0 where none does. */
export function stepOf({ messages }: ModelRequest, text: string): number {
  const answer = messages.find(({ role, content }) => role === 'tool' && content.includes(text))?.content;
  return Number(/^\[step (\d+)\]/.exec(answer ?? '')?.[1] ?? 0);
}

/** The answers of the tools to the calls so far, in order. */
export function answersIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
}

/** A conclusion that is proven, by a line that does stand there; `parts` replace what it says. */
export function concludes(parts: Readonly<Record<string, unknown>> = {}): (request: ModelRequest) => Said {
  return (request) => ({
    calls: [
      [
        'conclude',
        {
          outcome: 'code_fix',
          problem: 'The total is off by one.',
          rootCause: [
            {
              text: 'The sum gets one too many.',
              citations: [{ step: stepOf(request, CAUSE), quote: CAUSE }],
              places: [{ file: 'src/total.ts', line: 2 }],
            },
          ],
          stepsToReproduce: [],
          solutionSteps: ['Take the one away.'],
          questions: [],
          suspects: [],
          ruledOut: ['The greeting.'],
          fixedBy: [],
          ...parts,
        },
      ],
    ],
  });
}

/** Looks, makes these calls eight to a turn, and concludes. */
export function attackWith(calls: readonly Call[], parts: Readonly<Record<string, unknown>> = {}): Attack {
  const all = [LOOK, ...calls];
  const turns = Array.from({ length: Math.ceil(all.length / 8) }, (_, at) => ({
    calls: all.slice(8 * at, 8 * at + 8),
  }));
  return [...turns, concludes(parts)];
}

/** The rule of each guard by the file that it is about. */
export function rulesOf({ analysis }: Issue): Readonly<Record<string, string>> {
  return Object.fromEntries(analysis.guards.map(({ file, rule }) => [file, rule]));
}

/** The files that the Issue's diff names, either side. */
export function filesOf({ diff }: Issue): readonly string[] {
  return diff.files.flatMap(({ fileName, previousFileName }) => [fileName, previousFileName ?? []].flat());
}
