// The API's description, for programs and for people, made when it is first asked for: few ask, and it costs more than all else of the API.
import type { Handler } from 'hono';
import type { ApiDeps, ApiEnv } from './api-deps.ts';

interface Description {
  /** GET /api/v1/openapi.json */
  readonly getDocument: Handler<ApiEnv>;
  /** GET /docs */
  readonly getDocs: Handler<ApiEnv>;
}

/** Both from one document. */
export function describeApi({ baseUrl }: Pick<ApiDeps, 'baseUrl'>): Description {
  let made: ReturnType<typeof makeDescription> | null = null;
  const description = () => {
    made ??= makeDescription(baseUrl).catch((error: unknown) => {
      // Asked again: what could not be read may be there the next time.
      made = null;
      throw error;
    });
    return made;
  };
  return {
    getDocument: async (c) => c.body((await description()).text, 200, { 'Content-Type': 'application/json' }),
    getDocs: async (c, next) => await (await description()).page(c, next),
  };
}

async function makeDescription(baseUrl: () => string) {
  const [{ openApiDocument }, { docsPage }] = await Promise.all([import('./openapi.ts'), import('./docs-page.ts')]);
  const document = openApiDocument();
  return { text: JSON.stringify(document), page: docsPage(document, baseUrl) };
}
