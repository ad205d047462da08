// Which endpoint is used, over which interface, and what it has shown to understand.

/** The interfaces of models. */
export type Wire = 'responses' | 'chat' | 'messages' | 'bedrock' | 'vertex';

export interface ModelSettings {
  /** As the endpoint calls the model. */
  readonly name: string;
  readonly api: 'auto' | Wire;
  readonly openai: EndpointAddress;
  readonly anthropic: EndpointAddress;
  /** As the provider spells it; null: the provider's own choice. */
  readonly effort: string | null;
  /** Sent with every request. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Prints a short-lived key; null: the key is that of the address. */
  readonly keyCommand: string | null;
}

interface EndpointAddress {
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
}

export interface Endpoint {
  readonly wire: Wire;
  /** Whether another interface may be used once the endpoint says that it wants that. */
  readonly isAuto: boolean;
  readonly model: string;
  readonly apiKey: string;
  /** Without query; empty where the SDK knows it by variables of its own. */
  readonly baseUrl: string;
  readonly query: Readonly<Record<string, string>>;
  /** How people call it: its host, or the cloud. */
  readonly place: string;
  /** The variables that an error message should name. */
  readonly variables: { readonly key: string; readonly url: string };
  /** The key goes as `api-key`, as Azure wants it. */
  readonly isAzure: boolean;
  readonly effort: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const OPENAI_URL = 'https://api.openai.com/v1';

const ANTHROPIC_URL = 'https://api.anthropic.com';

/** The last dated version that Azure calls generally available; its `/openai/v1` paths need none. */
const AZURE_VERSION = '2024-10-21';

/** The endpoint that the settings mean. */
export function chooseEndpoint(settings: ModelSettings): Endpoint {
  const { api } = settings;
  switch (api) {
    case 'bedrock':
      return createCloudEndpoint(settings, 'bedrock', 'Amazon Bedrock', 'the AWS credentials and AWS_REGION');
    case 'vertex':
      return createCloudEndpoint(settings, 'vertex', 'Vertex AI', 'the Google credentials and CLOUD_ML_REGION');
    case 'messages':
      return createMessagesEndpoint(settings, settings.anthropic.baseUrl ?? settings.openai.baseUrl ?? ANTHROPIC_URL);
    case 'responses':
    case 'chat':
      return createOpenaiEndpoint(settings, api);
    case 'auto':
      return chooseAutomatically(settings);
  }
}

function chooseAutomatically(settings: ModelSettings): Endpoint {
  const { openai, anthropic } = settings;
  if (prefersAnthropic(settings)) return createMessagesEndpoint(settings, anthropic.baseUrl ?? ANTHROPIC_URL);
  const host = getHost(openai.baseUrl ?? OPENAI_URL);
  if (isUnder(host, 'api.anthropic.com')) return createMessagesEndpoint(settings, openai.baseUrl ?? ANTHROPIC_URL);
  return createOpenaiEndpoint(settings, isUnder(host, 'api.openai.com') ? 'responses' : 'chat');
}

/**
 * Where both families are configured, an address that is named wins, then the model's name; the same with only a key
 * command.
 */
function prefersAnthropic({ name, openai, anthropic }: ModelSettings): boolean {
  const has = ({ apiKey, baseUrl }: EndpointAddress) => apiKey !== '' || baseUrl !== null;
  if (has(openai) !== has(anthropic)) return has(anthropic);
  if ((openai.baseUrl === null) !== (anthropic.baseUrl === null)) return anthropic.baseUrl !== null;
  return name.startsWith('claude-');
}

function createMessagesEndpoint(settings: ModelSettings, address: string): Endpoint {
  const { openai, anthropic } = settings;
  const isOwn = anthropic.baseUrl !== null || anthropic.apiKey !== '' || openai.apiKey === '';
  const { baseUrl, query } = splitQuery(address);
  return {
    ...toCommonFields(settings),
    wire: 'messages',
    apiKey: isOwn ? anthropic.apiKey : openai.apiKey,
    query,
    place: getHost(baseUrl),
    // The client adds the path with its version itself.
    baseUrl: baseUrl.replace(/\/v1$/, ''),
    variables: {
      key: getKeyVariable(settings, isOwn ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'),
      url: openai.baseUrl === address ? 'OPENAI_BASE_URL' : 'ANTHROPIC_BASE_URL',
    },
  };
}

function createOpenaiEndpoint(settings: ModelSettings, wire: 'responses' | 'chat'): Endpoint {
  const { openai } = settings;
  const given = splitQuery(openai.baseUrl ?? OPENAI_URL);
  const place = getHost(given.baseUrl);
  const isAzure = ['openai.azure.com', 'cognitiveservices.azure.com', 'services.ai.azure.com'].some((domain) =>
    isUnder(place, domain),
  );
  const endpoint: Endpoint = {
    ...toCommonFields(settings),
    wire,
    ...given,
    place,
    apiKey: openai.apiKey,
    isAzure,
    variables: { key: getKeyVariable(settings, 'OPENAI_API_KEY'), url: 'OPENAI_BASE_URL' },
  };
  return isAzure ? adaptToAzure(endpoint) : endpoint;
}

function createCloudEndpoint(
  settings: ModelSettings,
  wire: 'bedrock' | 'vertex',
  place: string,
  key: string,
): Endpoint {
  return {
    ...toCommonFields(settings),
    wire,
    place,
    apiKey: '',
    baseUrl: '',
    query: {},
    variables: { key, url: 'MODEL_API' },
  };
}

function toCommonFields({ api, name, effort, headers }: ModelSettings) {
  return { isAuto: api === 'auto', model: name, effort, headers: Object.fromEntries(headers), isAzure: false };
}

function getKeyVariable({ keyCommand }: ModelSettings, otherwise: string): string {
  return keyCommand === null ? otherwise : 'MODEL_KEY_COMMAND';
}

/** The same endpoint over another interface of the same provider. */
export function toWire(endpoint: Endpoint, wire: Wire): Endpoint {
  return endpoint.isAzure ? adaptToAzure({ ...endpoint, wire }) : { ...endpoint, wire };
}

const DEPLOYMENT = /\/openai\/deployments\/([^/]+)$/;

/**
 * A bare resource is called at its v1 paths; so are Responses, which have no path of a deployment. A deployment needs a
 * dated version.
 */
function adaptToAzure(endpoint: Endpoint): Endpoint {
  const url = new URL(endpoint.baseUrl);
  const deployment = DEPLOYMENT.exec(url.pathname)?.[1];
  if (deployment !== undefined && endpoint.wire === 'chat') {
    return { ...endpoint, query: { 'api-version': AZURE_VERSION, ...endpoint.query } };
  }
  if (deployment !== undefined) {
    return { ...endpoint, model: decodeURIComponent(deployment), baseUrl: `${url.origin}/openai/v1`, query: {} };
  }
  return url.pathname === '/' ? { ...endpoint, baseUrl: `${url.origin}/openai/v1` } : endpoint;
}

/** Azure's addresses carry their version as a query, which paths must not be put behind. */
function splitQuery(address: string): { readonly baseUrl: string; readonly query: Readonly<Record<string, string>> } {
  const [baseUrl = '', query = ''] = address.split('?');
  return { baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** With its port; without credentials. */
function getHost(address: string): string {
  return URL.parse(address)?.host ?? address;
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Access tokens go as bearer tokens even where a lasting key has a header of its own. */
export function isAccessToken(key: string): boolean {
  return /^(?:eyJ[\w-]+\.[\w-]+\.[\w-]*$|ya29\.|sk-ant-oat)/.test(key);
}

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
