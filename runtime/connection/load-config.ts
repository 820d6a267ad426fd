import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { ConnectionConfig } from '../client/client.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { connectionOf } from './context.ts'
import { type Environment, localNames, processEnvironment } from './environment.ts'
import { accountFolder, inClusterConfig } from './in-cluster.ts'
import { readOrchconfig } from './orchconfig.ts'
import type { ConfigSelection } from './selection.ts'

/**
 * How to reach the server that an orchconfig names: see `connect`, which also makes a client of it. Files are read at once,
 * also those that it names; a credential program is run before the first request.
 *
 * @throws StatusError `BadRequest` with the file, and what is missing or wrong.
 */
export async function loadConfig(
  files?: string | readonly string[],
  selection: ConfigSelection = {},
): Promise<ConnectionConfig> {
  const { environment = processEnvironment() } = selection
  const named = typeof files === 'string' ? fileList(files) : files
  const chosen = named ?? filesOfVariables(environment)
  if (chosen !== undefined) return connectionOf(await readOrchconfig(chosen), selection)
  if ((await accountFolder(environment)) !== undefined) return inClusterConfig(selection)
  const usual = localNames().map(({ homeFolder }) => join(homedir(), homeFolder, 'config'))
  const found = await readOrchconfig(usual, 'may be missing')
  if (found.files.length > 0) return connectionOf(found, selection)
  throw new StatusError('BadRequest', nothingFound(usual))
}

/** The files of a list, such as `a:b`; an empty list names none. */
function fileList(text: string): readonly string[] | undefined {
  const files = text.split(delimiter).filter((file) => file !== '')
  return files.length === 0 ? undefined : files
}

function filesOfVariables(environment: Environment): readonly string[] | undefined {
  for (const { configVariable } of localNames()) {
    const files = fileList(environment[configVariable] ?? '')
    if (files !== undefined) return files
  }
  return undefined
}

function nothingFound(usual: readonly string[]): string {
  const variables = localNames().map(({ configVariable }) => configVariable)
  return `no orchconfig: neither ${variables.join(' nor ')} is set, there is no ${usual.join(' and no ')}, and this process is in no cluster`
}
