// Language models: one request, one complete answer or a named failure.

export interface Model {
  /** As the operator named it. */
  readonly name: string;
  /** US dollars per million tokens; null: unpriced, so only tokens are budgeted. */
  readonly prices: Prices | null;
  /** The interface in use, such as "Responses", for operators; absent: not an endpoint. */
  readonly calledThrough?: () => string;
  /**
   * Requests the next turn. Transient faults are retried within the deadlines. Throws `ModelUnavailable` (try again at
   * `retryAt`), or `ModelFailure` with `model_rejected` (key, address or request, for the operator to correct),
   * `model_overflow` (the messages do not fit), `model_refused` (the model declined), `model_misbehaved` (no usable
   * answer after the retries), `model_script_ended` (a scripted model has no answer).
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelTurn>;
}

export interface Prices extends Rates {
  /**
   * For providers that charge more for long prompts: the rates of the whole request if its prompt has more than `above`
   * tokens.
   */
  readonly long?: Rates & { readonly above: number };
}

export interface Rates {
  readonly prompt: number;
  /** Prompt tokens read from the provider's cache. */
  readonly cached: number;
  /** Prompt tokens written to the provider's cache; absent: the prompt rate. */
  readonly cacheWrite?: number;
  readonly completion: number;
}

export interface ModelRequest {
  readonly messages: readonly Message[];
  /** Byte-identical in all turns of a run, so that the endpoint's cache applies. */
  readonly tools: readonly ToolDescription[];
  /** `none`: the tools are listed, to keep the prefix unchanged, but must not be called. */
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
  /** As the model wrote it; may not be valid JSON. */
  readonly arguments: string;
}

/**
 * What a provider adds to an answer and expects back unchanged: encrypted reasoning, thinking blocks, thought
 * signatures, long call ids. Only the model that made it can read it. Plain JSON, stored encrypted, never shown,
 * deleted when the run ends.
 */
export interface Opaque {
  /** Provider, interface and model that made it. It is not sent to any other. */
  readonly origin: string;
  /** Belongs to the whole answer; null: nothing. */
  readonly message: unknown;
  /** Belongs to each of the answer's calls, in order; null: nothing. */
  readonly calls: readonly unknown[];
}

export interface ModelTurn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** Absent: the provider added nothing. */
  readonly opaque?: Opaque;
  readonly usage: TurnUsage;
  /** The model that answered, if the endpoint names it. */
  readonly model?: string;
}

export interface TurnUsage {
  readonly promptTokens: number;
  /** Of these, read from the endpoint's cache. */
  readonly cachedTokens: number;
  /** Of these, written to its cache; absent: not stated. */
  readonly cacheWriteTokens?: number;
  readonly completionTokens: number;
  /** US dollars as charged by the endpoint, if it states them; takes precedence over `prices`. */
  readonly costUsd?: number;
  /** True if the endpoint gave no figures. */
  readonly estimated: boolean;
}

const NOTHING_SPENT: TurnUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, estimated: false };

export type ModelFailureCode =
  | 'model_unavailable'
  | 'model_rejected'
  | 'model_overflow'
  | 'model_refused'
  | 'model_misbehaved'
  | 'model_script_ended';

/**
 * There is no answer, but partial answers may have been billed. `code` is for programs, as `Model.ask` lists them;
 * `message`, with the repair, for who runs the program: it names hosts and settings, and never a key.
 */
export class ModelFailure extends Error {
  override readonly name: string = 'ModelFailure';
  readonly code: ModelFailureCode;
  /** The cost of broken or discarded answers. */
  readonly spent: TurnUsage;

  constructor(code: ModelFailureCode, message: string, spent: TurnUsage | null = null) {
    super(message);
    this.code = code;
    this.spent = spent ?? NOTHING_SPENT;
  }
}

/** The endpoint cannot answer now (rate limit, outage). Ask again at `retryAt`. */
export class ModelUnavailable extends ModelFailure {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, spent: TurnUsage | null = null) {
    super('model_unavailable', message, spent);
    this.retryAt = retryAt;
  }
}

/** A file that an operator wrote is wrong. The message names the place: `"m.prompt" must be a number …`. */
export class ModelFileFault extends Error {
  override readonly name = 'ModelFileFault';
  readonly code: 'prices_invalid' | 'script_invalid';

  constructor(code: ModelFileFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}
