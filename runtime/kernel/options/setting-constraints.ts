/**
 * A constraint between settings, or on one setting beyond its type. A setting is a field of a configuration struct (which may
 * be a path such as `Generic.Port`) or a flag. It is set if it was given a value other than the zero of its type.
 */
export type SettingConstraint =
  /** If it is set, none of the others may be. */
  | { readonly is: 'exclusive'; readonly field: string; readonly others: readonly string[] }
  /** If it is set (to `value`, or to a list that has it), the other must be set. */
  | {
      readonly is: 'needs'
      readonly field: string
      readonly value?: string
      readonly other: string
    }
  /** Both must be set, or neither. */
  | { readonly is: 'together'; readonly field: string; readonly other: string }
  /** The items that a list, or the keys that a map may have. */
  | { readonly is: 'members'; readonly field: string; readonly values: readonly string[] }
  /** The format of every text in it: the value, the items of a list, the values of a map. */
  | { readonly is: 'format'; readonly field: string; readonly format: TextFormat }
  /** The words that a list may have; `*` is all that are on by default, and a hyphen before a word turns it off. */
  | { readonly is: 'switches'; readonly field: string; readonly values: readonly string[] }
  /** A map of labels. Labels of the domains and their subdomains must be among `values` or under one of `prefixes`. */
  | {
      readonly is: 'labels'
      readonly field: string
      readonly domains: readonly string[]
      readonly prefixes: readonly string[]
      readonly values: readonly string[]
    }
  /** May be set (to `value`) only if the feature gate is on. */
  | { readonly is: 'gate'; readonly field: string; readonly value?: string; readonly gate: string }

/** The formats of texts, as messages describe them. */
export const textFormats = {
  'certificate-key': 'CERT,KEY, with domains after a colon if need be',
  cidrs: 'an address range such as 10.0.0.0/16, or one of each family',
  cpus: 'a list of CPUs such as 0-3,5',
  duration: 'a duration such as 30s or 1h0m0s',
  ip: 'an IP address',
  ips: 'an IP address, or one of each family',
  quantity: 'a quantity of 0 or more, such as 100, 1.5G or 256Mi',
  release: 'MAJOR.MINOR',
  threshold: 'a quantity, or a percentage up to 100%',
} as const
/** The name of a text format. */
export type TextFormat = keyof typeof textFormats

/** The keys of each constraint beside `is` and `field`, with a question mark after optional ones. */
export const constraintShapes: Readonly<Record<SettingConstraint['is'], readonly string[]>> = {
  exclusive: ['others'],
  needs: ['value?', 'other'],
  together: ['other'],
  members: ['values'],
  format: ['format'],
  switches: ['values'],
  labels: ['domains', 'prefixes', 'values'],
  gate: ['value?', 'gate'],
}
