/** Shell scripts that complete the flags of a program, generated from its table of options. */
import { currentRelease, type FeatureGate } from '../../kernel/descriptors/feature-gate.ts'
import { type Option, type OptionTable, optionsOf } from '../../kernel/options/option-table.ts'

/** A shell with completion. */
export type Shell = 'bash' | 'zsh' | 'fish'

/** The shells that scripts can be made for. */
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

/**
 * A script for a shell to source. It completes flags, the values of flags that have few, file names, and feature gates with
 * their values.
 */
export function completionScript(
  table: OptionTable,
  shell: Shell,
  gates: readonly FeatureGate[] = [],
): string {
  const options = optionsOf(table).filter(
    ({ hidden, flag }) => hidden !== true && !flag.startsWith('<'),
  )
  return scripts[shell](table.daemon, options, switchable(gates))
}

/** Prints a script of one shell. */
type Script = (daemon: string, options: readonly Option[], gates: readonly string[]) => string

const scripts: Readonly<Record<Shell, Script>> = { bash, zsh, fish }

/** The flag whose value is a list of gates. */
const gatesFlag = 'feature-gates'

/** The gates that can be set: neither GA nor locked. */
function switchable(gates: readonly FeatureGate[]): readonly string[] {
  const open = gates.filter((gate) => {
    const { stage, locked } = currentRelease(gate)
    return stage !== 'GA' && locked !== true && !gate.gate.includes('<')
  })
  return open.map(({ gate }) => gate)
}

/** For each flag with values or paths a case of what to complete; flag names otherwise. */
function bash(daemon: string, options: readonly Option[], gates: readonly string[]): string {
  const cases = options.flatMap((option) => {
    const { flag } = option
    if (flag === gatesFlag && gates.length > 0) return []
    const values = valuesOf(option)
    // A switch takes a value behind an equals sign only: the next word is not its own.
    const word = takesWord(option) ? `--${flag}|--${flag}=` : `--${flag}=`
    if (values.length > 0) return [`    ${word}) words='${values.join(' ')}' ;;`]
    const kind = pathKind(option)
    return kind === undefined ? [] : [`    ${word}) paths=-${kind === 'directory' ? 'd' : 'f'} ;;`]
  })
  const name = functionName(daemon)
  return `# completion of ${daemon} for bash: source it, or put it where bash-completion looks
${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}" sign='' words='' paths=''
  if [ "$word" = '=' ]; then word=''; fi
${gates.length === 0 ? '' : bashGates(gates)}  if [ "$flag" = '=' ]; then flag="\${COMP_WORDS[COMP_CWORD-2]}" sign='='
  elif [ "\${COMP_WORDS[COMP_CWORD]}" = '=' ]; then sign='='; fi
  case "$flag$sign" in
${cases.join('\n')}
    *) words='${options.map(({ flag }) => `--${flag}`).join(' ')}' ;;
  esac
  if [ -n "$paths" ]; then COMPREPLY=($(compgen $paths -- "$word"))
  else COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o bashdefault -F ${name} ${daemon}
`
}

/**
 * Bash breaks words at `=`, so that of `--feature-gates=A=true,B` the word to complete is `true,B`: a name is completed
 * behind the last comma, and behind an equals sign its value.
 */
function bashGates(gates: readonly string[]): string {
  return `  local at=$COMP_CWORD given=''
  while [ $at -gt 0 ] && [[ "\${COMP_WORDS[at]}" != -* ]]; do given="\${COMP_WORDS[at]}$given"; at=$((at-1)); done
  if [ "\${COMP_WORDS[at]}" = --${gatesFlag} ]; then
    given="\${given#=}"; given="\${given##*,}"
    if [[ "$given" = *=* ]]; then COMPREPLY=($(compgen -W 'true false' -- "$word")); return; fi
    compopt -o nospace 2>/dev/null
    COMPREPLY=($(compgen -P "\${word%"$given"}" -W '${gates.map((gate) => `${gate}=`).join(' ')}' -- "$given"))
    return
  fi
`
}

/** Arguments of `_arguments`, with an action for each value. */
function zsh(daemon: string, options: readonly Option[], gates: readonly string[]): string {
  const chooseGates = `${functionName(daemon)}_gates`
  const switches = gates.map((gate) => `'${gate}:switch:(true false)'`)
  const lines = options.map((option) => {
    const about = quoted(summary(option).replace(/([[\]:\\])/g, '\\$1'))
    const values = valuesOf(option)
    const kind = pathKind(option)
    const words =
      values.length > 0 ? `(${values.join(' ')})` : kind === undefined ? '' : pathAction(kind)
    const action = option.flag === gatesFlag && gates.length > 0 ? chooseGates : words
    const value = takesWord(option) ? `:value:${action}` : ''
    return `  '--${option.flag}=${option.type === 'bool' ? '-' : ''}[${about}]${value}'`
  })
  return `#compdef ${daemon}
# completion of ${daemon} for zsh: put it in a folder of $fpath as _${daemon}
${gates.length === 0 ? '' : `${chooseGates}() {\n  _values -s , gate ${switches.join(' ')}\n}\n`}_arguments \\
${lines.join(' \\\n')}
`
}

/** One `complete` command for each flag. */
function fish(daemon: string, options: readonly Option[], gates: readonly string[]): string {
  const switches = gates.flatMap((gate) => [`${gate}=true`, `${gate}=false`])
  const lines = options.map((option) => {
    const values = valuesOf(option)
    const letter = option.shorthand === undefined ? '' : ` -s ${option.shorthand}`
    const files = pathKind(option) === undefined ? ' -x' : ' -r -F'
    const taken = takesWord(option) ? files : ' -f'
    const switched = option.flag === gatesFlag && gates.length > 0
    const listed = switched ? `(__fish_append , ${switches.join(' ')})` : values.join(' ')
    const words = listed === '' ? '' : ` -a '${listed}'`
    return `complete -c ${daemon} -l ${option.flag}${letter}${taken}${words} -d '${quoted(summary(option))}'`
  })
  return `# completion of ${daemon} for fish: put it in ~/.config/fish/completions/${daemon}.fish
${lines.join('\n')}
`
}

/** The values that a flag may have, if they are few. */
function valuesOf({ values, type }: Pick<Option, 'values' | 'type'>): readonly string[] {
  return values ?? (type === 'bool' ? ['true', 'false'] : [])
}

/** True for a flag that takes the next word as its value. */
function takesWord({ type }: Option): boolean {
  return type !== 'bool' && type !== 'word'
}

/** What a flag's value names, by the name of its value in the description. */
function pathKind({ description }: Pick<Option, 'description'>): 'file' | 'directory' | undefined {
  if (description.includes('`FILE`') || description.includes('`PATH`')) return 'file'
  return description.includes('`DIR`') ? 'directory' : undefined
}

function pathAction(kind: 'file' | 'directory'): string {
  return kind === 'file' ? '_files' : '_files -/'
}

/** The description in one line, without backquotes and final dot. */
function summary({ description }: Option): string {
  return description.replaceAll('`', '').replace(/\s+/g, ' ').trim().replace(/\.$/, '')
}

/** The text for use in single quotes: apostrophes become typographic ones. */
function quoted(text: string): string {
  return text.replaceAll("'", '’')
}

function functionName(daemon: string): string {
  return `_${daemon.replace(/[^A-Za-z0-9]/g, '_')}`
}
