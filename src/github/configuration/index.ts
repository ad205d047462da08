// .github/causeway.yml and the workflow of the action: reading, defaults, problems.
export { effectiveConfiguration, effectiveValues, investigationSettings, type OperatorLimits } from './effective.ts';
export { parseRepositoryConfig } from './parse-repository-config.ts';
export { CONFIG_FILE, type ConfigurationReader, createConfigurationReader } from './read-configuration.ts';
export {
  type ConfigProblem,
  DEFAULT_CONFIG,
  includesLabel,
  type Mode,
  type ReadConfig,
  type RepositoryConfig,
} from './repository-config.ts';
export {
  checkWorkflow,
  hasOwnRuns,
  listStartingLabels,
  readWorkflowName,
  renderWorkflow,
  runsCauseway,
  WORKFLOW_FILE,
  type WorkflowFault,
  type WorkflowText,
} from './workflow-file.ts';
