// The second look: a short conversation with other instructions, read-only tools and few turns, that tries to refute a
// conclusion. Its evidence is looked up like any quotation.

import type { ToolDescription } from 'causeway-models';
import { isSafePath } from 'causeway-paths';
import { sanitiseText, truncate } from 'causeway-visible-text';
import { z } from 'zod';
import { JUDGE, type LookEvidence, type RunUsage } from '../core/issue/index.ts';
import { parseLenientJson } from './conclusion-draft.ts';
import { buildLookMessages, createFence, type LookBrief } from './prompt.ts';
import { isInformative, occursIn, prepareText } from './quotation.ts';
import {
  askModel,
  assessBudget,
  getRunUsage,
  openSession,
  type Session,
  type SessionInput,
  type Stop,
  withDeadline,
} from './session.ts';
import { explainRefusal, runCall } from './tool-calls.ts';
import {
  type AgentStep,
  type Exchange,
  type LookedAt,
  listExchanges,
  listSteps,
  type TranscriptRecord,
} from './transcript.ts';

export interface LookInput extends Omit<SessionInput, 'ending' | 'open'> {
  readonly brief: LookBrief;
  readonly about: LookedAt;
  /** What a file holds at the analysed commit, and with the change; empty where it is in neither. */
  readonly textsOf: (file: string) => Promise<readonly string[]>;
}

interface LookDraft {
  readonly verdict: 'agrees' | 'doubts' | 'refutes' | 'repair';
  readonly reason: string;
  /** Only what was found. */
  readonly evidence: readonly LookEvidence[];
}

export interface LookEnd {
  /** Null: there is no verdict, and `stop` says why. */
  readonly draft: LookDraft | null;
  readonly stop: Stop | null;
  /** As it was when the look began. */
  readonly about: LookedAt;
  readonly usage: RunUsage;
  readonly steps: readonly AgentStep[];
}

/** Turns; the last one is without tools. */
export const LOOK_TURNS = 3;

const MAX_EVIDENCE = 6;
const MAX_REASON = 700;
const MAX_QUOTE = 400;

/**
 * Looks until there is a verdict or none is possible, from where its transcript ends. Throws the signal's reason when
 * aborted, and what `openSession`, the tools and the transcript throw.
 */
export async function takeSecondLook(input: LookInput, signal: AbortSignal): Promise<LookEnd> {
  const open = () => ({ messages: buildLookMessages(input.brief, createFence()), about: input.about });
  const session = await openSession({ ...input, ending: JUDGE_TOOL, open }, signal);
  const [first] = session.records;
  const about = (first?.kind === 'opening' ? first.about : undefined) ?? input.about;
  const end = await withDeadline(session, signal, (soon) => takeStepsOfLook(session, soon), toStopped);
  const draft = end.draft === null ? null : await checkDraft(end.draft, input);
  return { draft, stop: end.stop, about, usage: getRunUsage(session), steps: listSteps(session.records) };
}

interface RawEnd {
  readonly draft: LookDraft | null;
  readonly stop: Stop | null;
}

function toStopped(reason: Stop['reason']): RawEnd {
  return { draft: null, stop: { reason, detail: '' } };
}

async function takeStepsOfLook(session: Session, signal: AbortSignal): Promise<RawEnd> {
  for (;;) {
    signal.throwIfAborted();
    const end = await takeStep(session, signal);
    if (end !== null) return end;
  }
}

/** Null: it goes on. */
async function takeStep(session: Session, signal: AbortSignal): Promise<RawEnd | null> {
  const exchanges = listExchanges(session.records);
  const last = exchanges.at(-1);
  const call = last?.turn.toolCalls[last.replies.length];
  const verdict = last === undefined ? null : findVerdict(last);
  if (verdict !== null) return await takeVerdict(session, verdict, call !== undefined);
  if (call !== undefined) {
    const names = session.input.tools.map(({ name }) => name);
    const refusal = explainRefusal(exchanges, names, JUDGE);
    if (refusal === null) await runCall(session, call, signal);
    else await session.append({ kind: 'answer', reply: { kind: 'refused', text: refusal } });
    return null;
  }
  const stop = await askNext(session, exchanges.length, signal);
  return stop === null ? null : { draft: null, stop };
}

async function takeVerdict(session: Session, raw: string, isCall: boolean): Promise<RawEnd | null> {
  const parsed = parseVerdict(raw);
  if ('draft' in parsed) return { draft: parsed.draft, stop: null };
  await session.append(toFaultsRecord(parsed.fault, isCall));
  return null;
}

/** Why there is no further question; null: it was asked. */
async function askNext(session: Session, turns: number, signal: AbortSignal): Promise<Stop | null> {
  if (turns >= LOOK_TURNS) return { reason: { code: 'no_conclusion' }, detail: '' };
  const standing = assessBudget(session);
  if (standing.phase === 'over') return { reason: standing.reason, detail: '' };
  const isLast = turns === LOOK_TURNS - 1;
  if (isLast && !session.records.some((record) => record.kind === 'notice' && record.about === 'conclude_now')) {
    await session.append({ kind: 'notice', about: 'conclude_now', reason: null, text: JUDGE_NOW });
  }
  return await askModel(session, isLast ? 'none' : 'auto', signal);
}

const JUDGE_NOW =
  'The tools are shut. Answer now with nothing but the JSON object that `judge` takes: {"verdict", "reason", "evidence": [{"file", "line", "quote"}]}.';

/** The arguments of the verdict that the last turn gives, where it is the next to be answered; null: none. */
function findVerdict({ turn, replies, notices }: Exchange): string | null {
  const call = turn.toolCalls[replies.length];
  if (call !== undefined) return call.name === JUDGE ? call.arguments : null;
  return turn.toolCalls.length === 0 && notices.length === 0 ? turn.content : null;
}

function toFaultsRecord(text: string, isCall: boolean): TranscriptRecord {
  return isCall
    ? { kind: 'answer', reply: { kind: 'faults', text } }
    : { kind: 'notice', about: 'faults', reason: null, text };
}

const text = (max: number) => z.string().transform((value) => sanitiseText(value, max));

const Verdict = z.object({
  verdict: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['agrees', 'doubts', 'refutes', 'repair'])),
  reason: text(MAX_REASON).refine((value) => value !== ''),
  evidence: z.preprocess(
    (value) => (Array.isArray(value) ? value.slice(0, MAX_EVIDENCE) : []),
    z.array(
      z.object({
        file: z.string().transform((path) => path.trim().replace(/^\.\//, '')),
        line: z.preprocess((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : 0), z.int()),
        quote: z.string().transform((quote) => truncate(quote.trim(), MAX_QUOTE)),
      }),
    ),
  ),
});

function parseVerdict(raw: string): { readonly draft: LookDraft } | { readonly fault: string } {
  const json = parseLenientJson(raw);
  const parsed = json.kind === 'value' ? Verdict.safeParse(json.value) : null;
  if (parsed?.success) return { draft: parsed.data };
  return {
    fault:
      'This is no verdict. Call judge with {"verdict": "agrees", "doubts", "refutes" or "repair", "reason": text, "evidence": [{"file", "line", "quote"}]}.',
  };
}

/** A claim against the conclusion that nothing shows is no more than a doubt. */
async function checkDraft({ verdict, reason, evidence }: LookDraft, { textsOf }: LookInput): Promise<LookDraft> {
  const found: LookEvidence[] = [];
  for (const each of evidence) {
    const line = await findLine(each, textsOf);
    if (line !== null) found.push({ ...each, line });
  }
  const needsEvidence = verdict === 'refutes' || verdict === 'repair';
  return { verdict: needsEvidence && found.length === 0 ? 'doubts' : verdict, reason, evidence: found };
}

/** The line where the quotation begins, the named one where it is there more than once; null: it is in neither text. */
async function findLine({ file, line, quote }: LookEvidence, textsOf: LookInput['textsOf']): Promise<number | null> {
  const ready = prepareText(quote);
  if (!isSafePath(file) || !isInformative(ready)) return null;
  for (const whole of await textsOf(file)) {
    if (!occursIn(ready, prepareText(whole))) continue;
    const first = quote.split('\n')[0]?.trim() ?? '';
    const at = whole.split('\n').flatMap((each, index) => (each.includes(first) ? [index + 1] : []));
    return at.includes(line) ? line : (at[0] ?? 0);
  }
  return null;
}

/** Byte-stable: it is part of the prefix that endpoints cache. */
const JUDGE_TOOL: ToolDescription = {
  name: JUDGE,
  description:
    'Ends the second look with its verdict. Every quotation is searched in its file, before and after the change; what is not found is left out.',
  parameters: {
    type: 'object',
    properties: {
      verdict: {
        type: 'string',
        enum: ['agrees', 'doubts', 'refutes', 'repair'],
        description:
          'agrees: nothing found against it. doubts: something speaks against it. refutes: shown to be wrong. repair: right but for one small correction, named in reason.',
      },
      reason: { type: 'string', description: 'At most three sentences; for repair what is to change and why.' },
      evidence: {
        type: 'array',
        description: 'What shows it; needed for refutes and repair.',
        items: {
          type: 'object',
          properties: {
            file: { type: 'string', description: 'Path in the repository.' },
            line: { type: 'integer', description: 'From 1; 0 if unknown.' },
            quote: { type: 'string', description: 'Copied exactly, without the line number before it.' },
          },
          required: ['file', 'line', 'quote'],
          additionalProperties: false,
        },
      },
    },
    required: ['verdict', 'reason', 'evidence'],
    additionalProperties: false,
  },
};
