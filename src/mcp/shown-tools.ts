// The tools of one server as the model sees them, kept as first seen: a server that changes its words later is not believed.
import { createHash } from 'node:crypto';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ToolDescription } from '../core/model.ts';
import type { Log } from '../log.ts';
import type { ServerConfig } from './config.ts';
import { plainLine } from './outside-text.ts';
import { offeredNames } from './tool-names.ts';
import { ANY_ARGUMENTS, shownSchema } from './tool-schema.ts';

const MAX_DESCRIPTION = 500;
const MAX_TOLD = 40;

export interface ShownTool extends ToolDescription {
  /** As the server names it. */
  readonly tool: string;
}

export interface ShownTools {
  /** What a server says about its tools after it was connected. */
  readonly learn: (tools: readonly ServerTool[]) => void;
  /** The operator's tools in the operator's order. Of a server never reached: all of them, undescribed; else those that it has. */
  readonly all: () => readonly ShownTool[];
}

export function keepShownTools({ name: server, tools: allowed }: ServerConfig, log: Log): ShownTools {
  const names = offeredNames(server, allowed);
  const seen = new Map<string, { readonly shown: ShownTool; readonly print: string }>();
  const told = new Set<string>();
  let wasReached = false;
  const tellOnce = (key: string, tell: () => void): void => {
    if (!told.has(key) && told.size < MAX_TOLD * 4) tell();
    told.add(key);
  };
  const learnOne = (found: ServerTool): void => {
    const print = fingerprint(found);
    const known = seen.get(found.name);
    if (!known) seen.set(found.name, { shown: show(server, names.get(found.name) ?? '', found), print });
    else if (known.print !== print) {
      tellOnce(`${found.name} ${print}`, () =>
        log.warn(
          { tool: found.name },
          'a monitoring tool changed; it stays as first seen until Causeway is started again',
        ),
      );
    }
    if (found.annotations?.destructiveHint === true && found.annotations.readOnlyHint !== true) {
      tellOnce(`${found.name} destroys`, () =>
        log.warn(
          { tool: found.name },
          'the server says that this tool can destroy; it is offered because the configuration names it',
        ),
      );
    }
  };
  return {
    learn(tools) {
      wasReached = true;
      const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
      for (const tool of allowed) {
        const found = first.get(tool);
        if (found) learnOne(found);
        else if (!seen.has(tool))
          tellOnce(`${tool} absent`, () =>
            log.warn(
              { tool, has: namesIn(tools) },
              'the monitoring server has no such tool; correct the configuration',
            ),
          );
      }
    },
    all: () =>
      allowed.flatMap((tool) => {
        const shown = seen.get(tool)?.shown;
        if (shown) return [shown];
        return wasReached ? [] : [undescribed(server, tool, names.get(tool) ?? '')];
      }),
  };
}

function show(server: string, name: string, { name: tool, description, title, inputSchema }: ServerTool): ShownTool {
  const { schema, isWhole } = shownSchema(inputSchema);
  const note = isWhole ? '' : ' (The description of its arguments is shortened.)';
  const words = plainLine(description ?? title ?? 'no description', MAX_DESCRIPTION);
  const line = `Monitoring (${server}): ${words}`;
  return { tool, name, description: `${plainLine(line, MAX_DESCRIPTION - note.length)}${note}`, parameters: schema };
}

function undescribed(server: string, tool: string, name: string): ShownTool {
  const words = `Monitoring (${server}): ${plainLine(tool, 128)}. The server did not answer when this investigation began, so the tool is not described; a call tries it again and says why if it fails.`;
  return { tool, name, description: words, parameters: ANY_ARGUMENTS };
}

function namesIn(tools: readonly ServerTool[]): readonly string[] {
  return tools.slice(0, MAX_TOLD).map(({ name }) => plainLine(name, 128));
}

function fingerprint({ name, description, inputSchema, annotations }: ServerTool): string {
  const text = JSON.stringify(inOrder([name, description ?? null, inputSchema, annotations ?? null]));
  return createHash('sha256').update(text).digest('hex');
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}
