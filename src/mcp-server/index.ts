// What coding agents call: the tools, resources and prompt of the Model Context Protocol, each one call of our own API.
export { createMcpEndpoint, type McpEndpoint, type McpEndpointOptions } from './http.ts';
export { serveMcpOnStdio } from './stdio.ts';
