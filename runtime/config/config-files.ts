/** Everything about configuration files, loaded on first use. */
export function configFiles(): Promise<typeof import('./configuration.ts')> {
  return import('./configuration.ts')
}
