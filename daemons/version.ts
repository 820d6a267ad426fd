import { readFileSync } from 'node:fs'

/** `<program> <version of this package>`. */
export function versionLine(program: string): string {
  return `${program} ${packageVersion()}`
}

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('orch/package.json')), 'utf8'),
  )
  return String((manifest as { readonly version?: unknown }).version)
}
