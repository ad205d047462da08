// A run of the loop in memory: a model that plays turns and keeps its requests, tools over a map of files, a
// transcript.

import type { Model, ModelRequest, ModelTurn, Prices } from 'causeway-models';
import type { LookupFinding, Tool } from '../../src/core/report/evidence.ts';
import { type AgentEnd, type AgentInput, runAgent } from '../../src/investigate/loop.ts';
import type { Transcript, TranscriptRecord } from '../../src/investigate/transcript.ts';

interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

export type Played = { readonly say?: string; readonly calls?: readonly Call[] } | Error;

export const DRAFT = {
  outcome: 'code_fix',
  problem: 'The total is wrong.',
  rootCause: [{ text: 'The sum starts at one.', citations: [{ step: 900, quote: 'let sum = 1' }], places: [] }],
  stepsToReproduce: [],
  solutionSteps: ['Start at zero.'],
  questions: [],
  suspects: [],
  ruledOut: [],
  fixedBy: [],
};

/** What was looked up before the first question; the steps of a run have lower numbers. */
const EARLIER = [{ number: 900, action: 'read sum.ts', result: 'let sum = 1' }];

export const CONCLUSION: Played = { calls: [{ name: 'conclude', arguments: DRAFT }] };

export function call(name: string, args: unknown): Played {
  return { calls: [{ name, arguments: args }] };
}

/** Answers question n with `turns[n - offset]`; a run that goes on plays from where the stored turns end. */
export function scriptedModel(
  turns: readonly Played[],
  options: { readonly offset?: number; readonly prices?: Prices; readonly onAsk?: () => void } = {},
): Model & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: 'scripted',
    prices: options.prices ?? null,
    asked,
    ask: async (request, signal) => {
      options.onAsk?.();
      signal.throwIfAborted();
      const played = turns[asked.push(structuredClone(request)) - 1 + (options.offset ?? 0)];
      if (played === undefined) throw new Error('the script is at its end');
      if (played instanceof Error) throw played;
      return turnOf(played, request);
    },
  };
}

function turnOf({ say = '', calls = [] }: Exclude<Played, Error>, request: ModelRequest): ModelTurn {
  const raw = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return {
    content: say,
    toolCalls: calls.map(({ name, arguments: args }, at) => ({ id: `c${at}`, name, arguments: raw(args) })),
    usage: {
      promptTokens: Math.ceil(JSON.stringify(request.messages).length / 4),
      cachedTokens: 0,
      completionTokens: 100,
      estimated: false,
    },
  };
}

export interface Ground {
  readonly files: Map<string, string>;
  /** Every call that reached a tool. */
  readonly ran: string[];
  readonly tools: readonly Tool[];
}

export function ground(initial: Readonly<Record<string, string>>): Ground {
  const files = new Map(Object.entries(initial));
  const ran: string[] = [];
  const tool = (name: string, run: (args: Record<string, string>) => LookupFinding): Tool => ({
    name,
    description: `${name} of the test`,
    parameters: { type: 'object' },
    run: async (raw) => {
      ran.push(`${name} ${raw}`);
      return { action: `${name} ${raw}`, finding: run(JSON.parse(raw)) };
    },
  });
  const found = (text: string): LookupFinding => ({ status: 'found', text, cut: '' });
  const tools = [
    tool('search', ({ pattern = '' }) => {
      const hits = [...files].filter(([, text]) => text.includes(pattern)).map(([path]) => path);
      return hits.length > 0 ? found(hits.join('\n')) : { status: 'nothing', text: 'no line matches' };
    }),
    tool('read_files', ({ path = '' }) => {
      const text = files.get(path);
      return text === undefined ? { status: 'failed', text: `no file ${path}` } : found(text);
    }),
    tool('replace', ({ path = '', old = '', with: fresh = '' }) => {
      const text = files.get(path) ?? '';
      if (!text.includes(old)) return { status: 'failed', text: 'the old text is not there' };
      files.set(path, text.replace(old, fresh));
      return found('replaced');
    }),
  ];
  return { files, ran, tools };
}

export interface MemoryTranscript extends Transcript {
  readonly records: TranscriptRecord[];
}

/** Records go through JSON, as they do in a store. Steps are numbered on from `stepsBefore` and those that it holds. */
export function memoryTranscript(initial: readonly TranscriptRecord[] = [], stepsBefore = 0): MemoryTranscript {
  const records = [...initial];
  return {
    records,
    load: async () => structuredClone(records),
    append: async (record) => {
      records.push(JSON.parse(JSON.stringify(record)));
    },
    appendStep: async (step, status) => {
      const taken = records.filter((record) => record.kind === 'answer' && record.reply.kind === 'step').length;
      const number = stepsBefore + taken + 1;
      const record = { kind: 'answer', reply: { kind: 'step', number, status, step } } as const;
      records.push(JSON.parse(JSON.stringify(record)));
      return record;
    },
  };
}

export const BRIEF = {
  project: 'acme/shop',
  revision: 'a'.repeat(40),
  report: 'The total is wrong.',
  steps: [],
  language: '',
  instructions: [],
};

export const LIMITS = { turns: 30, seconds: 600, tokens: 5_000_000, usd: 1 };

/** The input of a run with everything that a test does not name. */
export function inputOf(parts: Partial<AgentInput> & Pick<AgentInput, 'model' | 'tools'>): AgentInput {
  return {
    brief: BRIEF,
    transcript: memoryTranscript(),
    budget: { limits: LIMITS, ledger: { reserve: async () => 'ok', settle: async () => {} } },
    ground: {
      earlierSteps: EARLIER,
      changeSet: () => ({ base: BRIEF.revision, files: [{ kind: 'added', path: 'x', mode: '100644', after: 'x\n' }] }),
      exists: async () => true,
      commitExists: async () => true,
    },
    mayWait: () => true,
    now: () => new Date(0),
    ...parts,
  };
}

/** Plays the turns over one file that is wrong. */
export async function play(
  turns: readonly Played[],
  parts: Partial<AgentInput> = {},
): Promise<{ end: AgentEnd; model: ReturnType<typeof scriptedModel>; ground: Ground; transcript: MemoryTranscript }> {
  const model = scriptedModel(turns);
  const shop = ground({ 'sum.ts': 'let sum = 1' });
  const transcript = memoryTranscript();
  const end = await runAgent(inputOf({ model, tools: shop.tools, transcript, ...parts }), new AbortController().signal);
  return { end, model, ground: shop, transcript };
}

/** Texts of the tool answers in the last question. */
export function answersTo(model: ReturnType<typeof scriptedModel>): readonly string[] {
  return (model.asked.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}
