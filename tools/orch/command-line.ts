/** The flags of commands that are no daemons. */
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
