// The door to language models: one question, one whole answer, or a named failure; never half an answer.
import { CausewayError, type ErrorCode } from './errors.ts';

export interface Model {
  /** As the operator named it; it stands in the Issue. */
  readonly name: string;
  /** US dollars per million tokens; null: unpriced, and only tokens are budgeted. */
  readonly prices: Prices | null;
  /**
   * The interface that it is called through at the moment, such as "Responses", for operators; absent: it is no
   * endpoint.
   */
  readonly calledThrough?: () => string;
  /**
   * Asks for the next turn. Transient faults are retried inside, within the deadlines. Throws `ModelUnavailable` (ask
   * again at `retryAt`), or `ModelFailure` with `model_rejected` (key, address or request: the operator must mend it),
   * `model_overflow` (the messages do not fit), `model_refused` (the model will not answer), `model_misbehaved` (no
   * usable answer after the retries).
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

export interface Prices extends Rates {
  /**
   * Where the provider charges more for long prompts: what counts for the whole request once its prompt has more tokens
   * than `above`.
   */
  readonly long?: Rates & { readonly above: number };
}

export interface Rates {
  readonly prompt: number;
  /** Prompt tokens read from the provider's cache. */
  readonly cached: number;
  /** Prompt tokens written to the provider's cache; absent: they cost what others do. */
  readonly cacheWrite?: number;
  readonly completion: number;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  /** Byte-identical over all turns of a run, so that the endpoint's cache holds. */
  readonly tools: readonly ToolDescription[];
  /** `none`: the tools are shown, since the prefix must stay the same, but may not be called. */
  readonly toolChoice: 'auto' | 'none';
}

export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ToolCall[];
      readonly opaque?: Opaque;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON at best. */
  readonly arguments: string;
}

/**
 * What a provider adds to an answer and wants back unchanged with it: encrypted reasoning, thinking blocks, thought
 * signatures, long call ids. Nobody but the model that made it reads it. It is plain JSON, kept encrypted, never shown,
 * and forgotten when the run ends.
 */
export interface Opaque {
  /** Provider, interface and model that made it. Any other one is asked without it. */
  readonly origin: string;
  /** What belongs to the whole answer; null: nothing. */
  readonly message: unknown;
  /** What belongs to each of the answer's calls, in their order; null: nothing. */
  readonly calls: readonly unknown[];
}

export interface ModelTurn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** Absent: the provider added nothing. */
  readonly opaque?: Opaque;
  readonly usage: TurnUsage;
  /** The model that answered, as the endpoint names it; absent: it named none. */
  readonly model?: string;
}

export interface TurnUsage {
  readonly promptTokens: number;
  /** Those of them that the endpoint took from its cache. */
  readonly cachedTokens: number;
  /** Those of them that it wrote to its cache; absent: it did not say. */
  readonly cacheWriteTokens?: number;
  readonly completionTokens: number;
  /** US dollars, where the endpoint states what it charges; this counts, whatever the prices say. */
  readonly costUsd?: number;
  /** True where the endpoint gave no figures and they were estimated. */
  readonly estimated: boolean;
}

const NOTHING_SPENT: TurnUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, estimated: false };

/** No answer came of the question, but parts of answers may have come on the way, and they are on the bill. */
export class ModelFailure extends CausewayError {
  /** What the answers took that broke off or were thrown away; nought where nothing was answered. */
  readonly spent: TurnUsage;

  constructor(code: Extract<ErrorCode, `model_${string}`>, message: string, spent: TurnUsage | null = null) {
    super(code, message);
    this.spent = spent ?? NOTHING_SPENT;
  }
}

/** The endpoint cannot answer now: rate limit, outage. The job goes back to the queue until `retryAt`. */
export class ModelUnavailable extends ModelFailure {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, spent: TurnUsage | null = null) {
    super('model_unavailable', message, spent);
    this.retryAt = retryAt;
  }
}

/** Its name in an Issue. What it found is an example, and the pages say so. */
export const SCRIPTED_MODEL = 'scripted';
