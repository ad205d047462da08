// One call of our own API, in this process and with the caller's own token: who may see and do what is decided there alone.

/** Answers a request as the API does over HTTP. Held answers end when `stopping` aborts. Never rejects. */
export type ApiFetch = (request: Request, stopping: AbortSignal) => Promise<Response>;

interface ApiRequest {
  readonly method?: 'GET' | 'POST';
  /** Below `/api/v1/`, such as `issues/iss_…/`. */
  readonly path: string;
  /** Undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

interface ApiAnswer {
  /** Of JSON the value, of other types the text. */
  readonly value: unknown;
  readonly headers: Headers;
}

/** Throws `ApiRefusal` for every status that is no success. */
export type ApiCall = (request: ApiRequest) => Promise<ApiAnswer>;

/** One field of a call, and what is wrong with it. */
interface ApiFault {
  readonly field: string;
  readonly detail: string;
}

/** The API refused: its own words, which say how to repair it and quote nothing of others. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  /** By field, where it names some: then the message has nothing besides. */
  readonly faults: readonly ApiFault[];
  constructor(status: number, message: string, faults: readonly ApiFault[] = []) {
    super(faults.length === 0 ? message : faults.map(({ field, detail }) => `${field}: ${detail}`).join('\n'));
    this.status = status;
    this.faults = faults;
  }
}

/** `authorization`: the caller's own header. */
export function createApiCall(
  fetch: ApiFetch,
  { authorization, signal }: { readonly authorization: string; readonly signal: AbortSignal },
): ApiCall {
  return async ({ method = 'GET', path, query = {}, body }) => {
    // Only path and query are read of it.
    const url = new URL(`http://causeway.invalid/api/v1/${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { authorization, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
    const request = new Request(url, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await fetch(request, signal);
    signal.throwIfAborted();
    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
    const value: unknown = isJson ? await response.json() : await response.text();
    if (!response.ok) throw toRefusal(response.status, value as Problem);
    return { value, headers: response.headers };
  };
}

interface Problem {
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

function toRefusal(status: number, { detail = 'The call was refused.', errors = [] }: Problem): ApiRefusal {
  const faults = errors.map((fault) => ({ field: fault.pointer.slice(1), detail: fault.detail }));
  return new ApiRefusal(status, detail, faults);
}
