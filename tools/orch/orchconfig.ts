import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** One server, reached without credentials. */
export interface Connection {
  readonly server: string
  /** What the cluster, the context and the user are called. */
  readonly name: string
}

/**
 * Writes the file that clients read to find a server, for its owner's eyes only. It appears whole or not at all, and
 * replaces an older one.
 */
export async function writeOrchconfig(file: string, connection: Connection): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.tmp`
  try {
    await writeFile(fresh, orchconfigText(connection), { mode: 0o600, flag: 'wx' })
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** The content of an orchconfig file: YAML that `kubectl --kubeconfig` reads. */
export function orchconfigText({ server, name }: Connection): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'clusters:',
    `- name: ${name}`,
    `  cluster: { server: ${JSON.stringify(server)} }`,
    'contexts:',
    `- name: ${name}`,
    `  context: { cluster: ${name}, user: ${name}, namespace: default }`,
    'users:',
    `- name: ${name}`,
    '  user: {}',
    '',
  ].join('\n')
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
