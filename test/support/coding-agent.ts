// A coding agent at `/mcp` of a stage's service, with a token of a person.
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { dataOf, type ToolData } from '../mcp-server/tool-data.ts';
import type { GithubStage } from './github-stage.ts';

export interface CodingAgent extends AsyncDisposable {
  readonly client: Client;
  readonly ask: (name: string, args: Readonly<Record<string, unknown>>) => Promise<CallToolResult>;
  /** The same, as data. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolData>;
}

export async function openCodingAgent(
  stage: Pick<GithubStage, 'command' | 'service'>,
  login: string,
  scopes = 'issues:read,projects:read',
): Promise<CodingAgent> {
  const token = await stage.command('token', 'create', '--name', 'agent', '--account', login, '--scopes', scopes);
  const client = new Client({ name: 'agent', version: '1' });
  const headers = { Authorization: `Bearer ${token.trim()}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', stage.service().address), { requestInit: { headers } }),
  );
  const ask: CodingAgent['ask'] = (name, args) => client.callTool({ name, arguments: args });
  return {
    client,
    ask,
    call: async (name, args) => dataOf(await ask(name, args)),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
