/** The text formats that constraints name. */
import { isIP } from 'node:net'
import { type TextFormat, textFormats } from '../../kernel/options/setting-constraints.ts'
import { parseDuration } from '../../kernel/values/duration.ts'
import { parseQuantity } from '../../kernel/values/quantity.ts'

/** What is wrong with a text by a format (`must be ...`); undefined if it has the format. */
export function formatProblem(format: TextFormat, text: string): string | undefined {
  return fits[format](text) ? undefined : `must be ${textFormats[format]}`
}

/** True for a text of the format. */
const fits: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  'certificate-key': isCertificateKey,
  cidrs: (text) => ofEachFamily(text, familyOfRange),
  cpus: isCpuList,
  duration: (text) => parseDuration(text) !== undefined,
  ip: (text) => isIP(text) !== 0,
  ips: (text) => ofEachFamily(text, isIP),
  quantity: (text) => parseQuantity(text)?.negative === false,
  release: (text) => /^[0-9]{1,4}\.[0-9]{1,4}$/.test(text),
  threshold: isThreshold,
}

/** One text, or two with a comma between them of different address families. `familyOf` gives 4, 6, or 0 for neither. */
function ofEachFamily(text: string, familyOf: (part: string) => number): boolean {
  const families = text.split(',', 3).map(familyOf)
  return families.length <= 2 && !families.includes(0) && families[0] !== families[1]
}

/** 4 or 6 for an address range (CIDR) with a prefix length that its family allows; 0 for any other text. */
function familyOfRange(text: string): number {
  const [, address = '', length = ''] =
    /^([0-9a-fA-F.:]{2,45})\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const family = isIP(address)
  return Number(length) <= (family === 4 ? 32 : 128) ? family : 0
}

/** `0-3,5`, each range ascending. */
function isCpuList(text: string): boolean {
  return text.split(',').every((part) => {
    const [, from, to = from] = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(part) ?? []
    return from !== undefined && Number(from) <= Number(to)
  })
}

/** A percentage up to 100, or a quantity that is not negative. */
function isThreshold(text: string): boolean {
  const share = /^([0-9]{1,3}(?:\.[0-9]{1,9})?)%$/.exec(text)?.[1]
  return share === undefined ? parseQuantity(text)?.negative === false : Number(share) <= 100
}

/** `CERT,KEY` or `CERT,KEY:domain,domain`, where a domain may begin with `*.`. */
function isCertificateKey(text: string): boolean {
  const [files = '', domains] = text.split(':', 2)
  const [certificate = '', key = '', more] = files.split(',').map((part) => part.trim())
  const named = domains?.split(',').every((domain) => /^(\*\.)?[A-Za-z0-9.-]+$/.test(domain.trim()))
  return certificate !== '' && key !== '' && more === undefined && named !== false
}
