// What an endpoint has shown to understand: found out by asking, remembered for the life of the model object.

/** Parts of a request that can be left out or said otherwise. */
export type Feature =
  | 'tools'
  | 'tool_choice'
  | 'stream_options'
  | 'response_format'
  | 'parallel_tool_calls'
  | 'prompt_cache_key'
  | 'cache_control'
  | 'effort'
  | 'thinking'
  | 'encrypted_reasoning'
  | 'opaque';

export interface Dialect {
  /** `json`: tools are described in the system text, and called in a JSON answer. */
  tools: 'native' | 'json';
  readonly leftOut: Set<Feature>;
  /** What is put in the place of opaque parts on turns that another model took. */
  readonly fills: Set<'reasoning_content' | 'thought_signature'>;
  /** Whether the endpoint should ignore thoughts that no longer fit what precedes them, as after a compaction. */
  dropsUnfit: boolean;
  /** The limit on output tokens, where an interface wants one. */
  maxTokens: number;
  /** A call came as a call, so that text without one is meant as text. */
  hasCalled: boolean;
  /** Answers without a call while none had ever come. */
  textAnswers: number;
}

/** More than any conclusion with its thinking takes; a model with a lower limit says so, and that one is used. */
const OUTPUT_TOKENS = 32_000;
/** After one text a model may be thinking aloud; after two it most likely cannot call tools. */
const TEXT_ANSWERS_UNTIL_JSON = 2;

export function createDialect(): Dialect {
  const learned = { leftOut: new Set<Feature>(), fills: new Set<never>() };
  return { tools: 'native', ...learned, dropsUnfit: false, maxTokens: OUTPUT_TOKENS, hasCalled: false, textAnswers: 0 };
}

/** Of the features that a request could use those that the endpoint has not refused; noted in `sent`. */
export function noteFeatures(
  sent: Set<Feature>,
  { leftOut }: Dialect,
  wanted: Readonly<Partial<Record<Feature, boolean>>>,
): void {
  for (const [feature, isWanted] of Object.entries(wanted) as [Feature, boolean][]) {
    if (isWanted && !leftOut.has(feature)) sent.add(feature);
  }
}

/** Counts a text where a call was expected; true: the model cannot call tools, so JSON mode is next. */
export function noteTextAnswer(dialect: Dialect): boolean {
  dialect.textAnswers += 1;
  return !dialect.hasCalled && dialect.textAnswers >= TEXT_ANSWERS_UNTIL_JSON;
}
