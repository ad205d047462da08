// The door to language models: one question, one whole answer, or a named failure; never half an answer.
import { CausewayError, type ErrorCode } from '../domain/errors.ts';

export interface Model {
  /** As the operator named it; it stands in the Issue. */
  readonly name: string;
  /** US dollars per million tokens; null: unpriced, and only tokens are budgeted. */
  readonly prices: Prices | null;
  /**
   * Asks for the next turn. Transient faults are retried inside, within the deadlines. Throws `ModelUnavailable` (ask again at
   * `retryAt`), or `ModelFailure` with `model_rejected` (key, address or request: the operator must mend it), `model_overflow` (the
   * messages do not fit), `model_refused` (the model will not answer), `model_misbehaved` (no usable answer after the retries).
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

export interface Prices {
  readonly prompt: number;
  readonly cached: number;
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
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON at best. */
  readonly arguments: string;
}

export interface ModelTurn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TurnUsage;
  /** The model that answered, as the endpoint names it; absent: it named none. */
  readonly model?: string;
}

export interface TurnUsage {
  readonly promptTokens: number;
  /** Those of them that the endpoint took from its cache. */
  readonly cachedTokens: number;
  readonly completionTokens: number;
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
