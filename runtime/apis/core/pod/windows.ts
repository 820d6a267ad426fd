/** Settings of pods on nodes that run Windows. */
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { WindowsSecurityContextOptions } from '../../../../generated/apis/core/v1/security.ts'
import { dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import type { Check, Field } from '../../../kernel/walker/field.ts'

const longestSpec = 65_536
const longestUser = 104
const longestDomain = 256

/** An account by the name of its specification or by its text, and a user in the form of the system. */
export const windowsOptions: Check<WindowsSecurityContextOptions> = (options) => {
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options.value
  if (gmsaCredentialSpecName !== undefined) {
    const problems = dnsSubdomainProblems(gmsaCredentialSpecName)
    options.invalidAll('gmsaCredentialSpecName', problems, gmsaCredentialSpecName)
  }
  if (gmsaCredentialSpec === '') {
    options.invalid('gmsaCredentialSpec', 'gmsaCredentialSpec cannot be an empty string')
  } else if (Buffer.byteLength(gmsaCredentialSpec ?? '') > longestSpec) {
    options.invalid('gmsaCredentialSpec', 'gmsaCredentialSpec size must be under 64 KiB')
  }
  if (runAsUserName !== undefined) {
    options.invalidAll('runAsUserName', userProblems(runAsUserName), runAsUserName)
  }
}

/** A user is written alone or as `domain\\user`. */
function userProblems(text: string): readonly string[] {
  if (text === '') return ['runAsUserName cannot be an empty string']
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return ['runAsUserName cannot contain control characters']
  const parts = text.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const of = "runAsUserName's User"
  return [
    ...(parts.length === 2 ? domainProblems(parts[0] ?? '') : []),
    ...(user === '' ? [`${of} cannot be empty`] : []),
    ...(user.length > longestUser
      ? [`${of} length must not be longer than ${longestUser} characters`]
      : []),
    ...(/^[. ]+$/.test(user) ? [`${of} cannot contain only periods or spaces`] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? [`${of} cannot contain the following characters: "/\\:;|=,+*?<>@[]`]
      : []),
  ]
}

function domainProblems(domain: string): readonly string[] {
  const of = "runAsUserName's Domain"
  const long = domain.length >= longestDomain
  const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain)
  const dns =
    !long &&
    domain.split('.').every((part) => /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(part))
  return [
    ...(long ? [`${of} length must be under ${longestDomain} characters`] : []),
    ...(netBios || dns ? [] : [`${of} doesn't match the NetBios nor the DNS format`]),
  ]
}

/** Either all containers of a pod are processes of the node or none is, and those use its network. */
export function checkHostProcess(spec: Field<PodSpec>): void {
  const { hostNetwork = false, securityContext } = spec.value
  const wanted = securityContext?.windowsOptions?.hostProcess
  let [all, processes] = [0, 0]
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec.each(list, (container) => {
      const own = container.value.securityContext?.windowsOptions?.hostProcess
      all++
      if (own ?? wanted) processes++
      if (wanted === undefined || own === undefined || wanted === own) return
      const why = `pod hostProcess value must be identical if both are specified, was ${wanted}`
      container.invalid('securityContext.windowsOptions.hostProcess', why)
    })
  }
  if (processes === 0) return
  if (processes < all) {
    const why =
      'If pod contains any hostProcess containers then all containers must be HostProcess containers'
    spec.invalid('', why, '')
  }
  if (hostNetwork) return
  const why = 'hostNetwork must be true if pod contains any hostProcess containers'
  spec.invalid('hostNetwork', why, false)
}
