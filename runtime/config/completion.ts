/** Scripts that complete the flags of a program in a shell, made from its table. */
import type { Option, OptionTable } from '../kernel/options.ts'
import { optionsIn } from './answer.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** The shells there are scripts for. */
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

/** A script for a shell to source. Values are completed where a flag has few, and files where it names one. */
export function completionScript(table: OptionTable, shell: Shell): string {
  const options = optionsIn(table).filter(
    ({ hidden, flag }) => hidden !== true && !flag.startsWith('<'),
  )
  return scripts[shell](table.daemon, options)
}

const scripts: Readonly<Record<Shell, (daemon: string, options: readonly Option[]) => string>> = {
  bash,
  zsh,
  fish,
}

function bash(daemon: string, options: readonly Option[]): string {
  const cases = options.flatMap(({ flag, ...option }) => {
    const values = valuesOf(option)
    if (values.length > 0) return [`    --${flag}) words='${values.join(' ')}' ;;`]
    const kind = pathKind(option)
    return kind === undefined
      ? []
      : [`    --${flag}) paths=-${kind === 'directory' ? 'd' : 'f'} ;;`]
  })
  const name = functionName(daemon)
  return `# completion of ${daemon} for bash: source it, or put it where bash-completion looks
${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}" words='' paths=''
  if [ "$word" = '=' ]; then word=''; fi
  if [ "$flag" = '=' ]; then flag="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$flag" in
${cases.join('\n')}
    *) words='${options.map(({ flag }) => `--${flag}`).join(' ')}' ;;
  esac
  if [ -n "$paths" ]; then COMPREPLY=($(compgen $paths -- "$word"))
  else COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o bashdefault -F ${name} ${daemon}
`
}

function zsh(daemon: string, options: readonly Option[]): string {
  const lines = options.map((option) => {
    const about = quoted(summary(option).replace(/([[\]:\\])/g, '\\$1'))
    const values = valuesOf(option)
    const kind = pathKind(option)
    const action =
      values.length > 0 ? `(${values.join(' ')})` : kind === undefined ? '' : pathAction(kind)
    const value = takesWord(option) ? `:value:${action}` : ''
    return `  '--${option.flag}=${option.type === 'bool' ? '-' : ''}[${about}]${value}'`
  })
  return `#compdef ${daemon}
# completion of ${daemon} for zsh: put it in a folder of $fpath as _${daemon}
_arguments \\
${lines.join(' \\\n')}
`
}

function fish(daemon: string, options: readonly Option[]): string {
  const lines = options.map((option) => {
    const values = valuesOf(option)
    const letter = option.shorthand === undefined ? '' : ` -s ${option.shorthand}`
    const files = pathKind(option) === undefined ? ' -x' : ' -r -F'
    const taken = takesWord(option) ? files : ' -f'
    const words = values.length > 0 ? ` -a '${values.join(' ')}'` : ''
    return `complete -c ${daemon} -l ${option.flag}${letter}${taken}${words} -d '${quoted(summary(option))}'`
  })
  return `# completion of ${daemon} for fish: put it in ~/.config/fish/completions/${daemon}.fish
${lines.join('\n')}
`
}

function valuesOf({ values, type }: Pick<Option, 'values' | 'type'>): readonly string[] {
  return values ?? (type === 'bool' ? ['true', 'false'] : [])
}

function takesWord({ type }: Option): boolean {
  return type !== 'bool' && type !== 'word'
}

function pathKind({ description }: Pick<Option, 'description'>): 'file' | 'directory' | undefined {
  if (description.includes('`FILE`') || description.includes('`PATH`')) return 'file'
  return description.includes('`DIR`') ? 'directory' : undefined
}

function pathAction(kind: 'file' | 'directory'): string {
  return kind === 'file' ? '_files' : '_files -/'
}

/** The description without the marks of its value's name, in one line and without a dot. */
function summary({ description }: Option): string {
  return description.replaceAll('`', '').replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}

/** Fit to stand in single quotes: typographic ones instead. */
function quoted(text: string): string {
  return text.replaceAll("'", '’')
}

function functionName(daemon: string): string {
  return `_${daemon.replace(/[^A-Za-z0-9]/g, '_')}`
}
