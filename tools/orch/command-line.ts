/** The flags of commands that are no daemons. */
import { existsSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'

/** The flags and words of a command line, or what is wrong with it, in one line. */
export function readCommandLine<T extends ParseArgsConfig & { readonly options: object }>(
  config: T,
): ReturnType<typeof parseArgs<T>> | string {
  try {
    return parseArgs(config)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const [first = ''] = message.split(/\.? To specify |\n/)
    const flag =
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? /'--([^'=]+)/.exec(first)?.[1] : undefined
    return flag === undefined ? first : first + didYouMean(flag, Object.keys(config.options))
  }
}

/** Which of the schema files and folders that flags name is not there, in one line; undefined if all are. */
export function missingSchemas(values: {
  readonly platform?: string | undefined
  readonly schemas?: string | readonly string[] | undefined
}): string | undefined {
  const named = [
    ...[values.platform ?? ''].map((path) => ['--platform', path] as const),
    ...[values.schemas ?? ''].flat().map((path) => ['--schemas', path] as const),
  ]
  const missing = named.find(([, path]) => path !== '' && !existsSync(path))
  return missing && `${missing.join(' ')}: no such file or folder`
}
