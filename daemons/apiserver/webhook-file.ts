import type { Options } from '../../runtime/config/config.ts'

/** The flags that name an orchconfig with the address of a webhook. */
const flags = [
  'audit-webhook-config-file',
  'authentication-token-webhook-config-file',
  'authorization-webhook-config-file',
] as const

/** Everything that is wrong with the files that flags name for webhooks. Nothing is loaded where none is named. */
export async function webhookFileProblems(options: Options): Promise<readonly string[]> {
  const named = flags.filter((flag) => options.string(flag) !== '')
  const found = await Promise.all(
    named.map((flag) => orchconfigProblems(`--${flag}`, options.string(flag))),
  )
  return found.flat()
}

/** What is wrong with one orchconfig, in lines that begin with the place that names it. */
export async function orchconfigProblems(place: string, file: string): Promise<readonly string[]> {
  const { loadConfig } = await import('../../runtime/connection/connection.ts')
  try {
    await loadConfig(file)
    return []
  } catch (error) {
    return (error as Error).message.split('\n').map((line) => `${place}: ${line}`)
  }
}
