// Language models: one request, one whole answer or a named failure, over the interfaces of OpenAI, Anthropic and those who copy them.
export type { ModelSettings, Wire } from './endpoint.ts';
export {
  createEndpointModel,
  type EndpointModel,
  type EndpointModelOptions,
  type ModelHolds,
} from './endpoint-model.ts';
export {
  type Message,
  type Model,
  ModelFailure,
  type ModelFailureCode,
  ModelFileFault,
  type ModelRequest,
  type ModelTurn,
  ModelUnavailable,
  type Opaque,
  type Prices,
  type Rates,
  type ToolCall,
  type ToolDescription,
  type TurnUsage,
} from './model.ts';
export { computeCost, findShippedPrices, readPrices, selectRates } from './prices.ts';
export { createScriptedModel, readScript } from './scripted.ts';
