/** What keeps a container from being made, in a sentence: its reason is `CreateContainerConfigError`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
