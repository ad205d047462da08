// Lookups in source and tools of the model, each in a span.
import { SpanKind } from '@opentelemetry/api';
import type { Source } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { spanned } from './spans.ts';

/** Opening a project means to fetch it. */
export function watchSource(source: Source): Source {
  return {
    open: (project, signal) => {
      const attributes = { 'causeway.project.id': project.id };
      return spanned({ name: 'git fetch', kind: SpanKind.CLIENT, attributes }, () => source.open(project, signal));
    },
    forget: (projectId, signal) => source.forget(projectId, signal),
  };
}

/** Name and length alone: what is asked and answered is a stranger's text. */
export function watchTool(tool: Tool): Tool {
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': tool.name };
  return {
    ...tool,
    run: (rawArguments, signal) =>
      spanned({ name: `execute_tool ${tool.name}`, attributes }, () => tool.run(rawArguments, signal)),
  };
}
