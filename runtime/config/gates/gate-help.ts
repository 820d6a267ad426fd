import { currentRelease, type FeatureGate } from '../../kernel/descriptors/feature-gate.ts'

/**
 * The gates that will be removed, as the help of a program lists them: since when they are GA or deprecated, and whether
 * setting them still has an effect (document 1, section 9, rule 10). Empty if there are none.
 */
export function gateHelp(gates: readonly FeatureGate[]): string {
  const old = gates.filter((gate) => ['GA', 'Deprecated'].includes(currentRelease(gate).stage))
  if (old.length === 0) return ''
  const width = Math.max(...old.map(({ gate }) => gate.length))
  const lines = old.map((gate) => `  ${gate.gate.padEnd(width)}  ${stateOf(gate)}`)
  return `Deprecated feature gates:\n\n${lines.join('\n')}\n`
}

/** `GA since 1.29, on; non-operational`. */
function stateOf(gate: FeatureGate): string {
  const { stage, since, default: on, locked } = currentRelease(gate)
  const state = `${stage === 'GA' ? 'GA' : 'deprecated'} since ${since}, ${on ? 'on' : 'off'}`
  return `${state}; ${stage === 'GA' || locked === true ? 'non-operational' : 'can still be set'}`
}
