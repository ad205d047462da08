// Holds every answer against the OpenAPI document itself: status, media type, headers and body must stand there.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { getOpenApiDocument, type OpenApiDocument } from '../../src/api/openapi.ts';
import { recordExchange } from '../support/exchange-record.ts';

export const document: OpenApiDocument = JSON.parse(JSON.stringify(getOpenApiDocument()));

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
// Clients have to take unknown fields; what is answered has none that is not documented.
ajv.addSchema(closed(document) as object, 'openapi');
const validators = new Map<string, ValidateFunction>();

/** The same, with objects that have the documented fields alone. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  return parts['type'] === 'object' && 'properties' in parts ? { additionalProperties: false, ...parts } : parts;
}

/** Throws where the answer is not as documented. An undocumented path may only be 404, an undocumented method only 405. */
export async function requireDocumented(method: string, url: string, answer: Response): Promise<void> {
  await recordExchange(method, url, answer);
  const say = (what: string) => new Error(`${method} ${url} → ${answer.status}: ${what}`);
  if (!answer.headers.has('X-Request-Id')) throw say('no X-Request-Id');
  const found = operationOf(method, new URL(url).pathname);
  if (found === null) {
    if (answer.status === 404) return requireSchema('#/components/schemas/Problem', await jsonOf(answer), say);
    if (answer.status !== 405 || !answer.headers.has('Allow')) throw say('not documented');
    return requireSchema('#/components/schemas/Problem', await jsonOf(answer), say);
  }
  const { pointer, operation } = found;
  const documented = operation.responses?.[answer.status];
  if (documented === undefined) throw say('undocumented status');
  const responsePointer = '$ref' in documented ? documented.$ref : `${pointer}/responses/${answer.status}`;
  const response = at(responsePointer);
  requireHeaders(response, answer, say);
  const [type, ...rest] = Object.keys(response.content ?? {});
  if (rest.length > 0) throw say('more than one documented media type');
  if (method === 'HEAD' || type === undefined) {
    if ((await answer.clone().text()) !== '') throw say('a body where none is documented');
    return;
  }
  if (answer.headers.get('Content-Type')?.split(';')[0] !== type) {
    throw say(`media type ${answer.headers.get('Content-Type')}, documented is ${type}`);
  }
  if (type.endsWith('json')) {
    const escaped = type.replaceAll('/', '~1');
    requireSchema(`${responsePointer}/content/${escaped}/schema`, await jsonOf(answer), say);
  }
}

interface DocumentedResponse {
  readonly headers?: Record<string, { $ref: string }>;
  readonly content?: Record<string, unknown>;
}

function requireHeaders(response: DocumentedResponse, answer: Response, say: (what: string) => Error): void {
  for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
    const header = at($ref) as { readonly required?: boolean };
    if (header.required && !answer.headers.has(name)) throw say(`the header ${name} is missing`);
  }
  for (const name of ['Location', 'Link', 'Retry-After', 'WWW-Authenticate', 'RateLimit', 'Allow']) {
    if (answer.headers.has(name) && !(name in (response.headers ?? {}))) {
      // An error met after the rate was counted tells it too.
      if (name !== 'RateLimit') throw say(`the header ${name} is not documented`);
    }
  }
}

function requireSchema(pointer: string, body: unknown, say: (what: string) => Error): void {
  const uri = `openapi${pointer.replaceAll('{', '%7B').replaceAll('}', '%7D')}`;
  const validate = validators.get(uri) ?? ajv.compile({ $ref: uri });
  validators.set(uri, validate);
  if (!validate(body)) throw say(`${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2_000)}`);
}

function operationOf(method: string, pathname: string) {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+').replace(/\/$/, '')}/?$`);
    const operation = pattern.test(pathname) ? item[asked as 'get'] : undefined;
    if (operation !== undefined) {
      return { operation, pointer: `#/paths/${path.replaceAll('/', '~1')}/${asked}` };
    }
  }
  return null;
}

function at(pointer: string): DocumentedResponse {
  return pointer
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document) as DocumentedResponse;
}

async function jsonOf(answer: Response): Promise<unknown> {
  return answer.clone().json();
}
