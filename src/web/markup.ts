/**
 * Components as HTML text: for a file that is whole without a script.
 *
 * Components that are shown this way are functions of their properties, without state.
 */
import type { ComponentChildren } from 'preact';

type Properties = Readonly<Record<string, unknown>> & { readonly children?: ComponentChildren };
type Component = (properties: Properties) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'col', 'hr', 'input', 'link', 'meta']);

/** All texts and values of attributes as themselves: none of them becomes markup. */
export function toMarkup(children: ComponentChildren): string {
  if (children === null || children === undefined || typeof children === 'boolean') return '';
  if (Array.isArray(children)) return children.map(toMarkup).join('');
  if (typeof children !== 'object') return escapeHtml(String(children));
  // What is an object here is what JSX has made: an element, or a component with its properties.
  const { type, props } = children as { readonly type: string | Component; readonly props: Properties };
  if (typeof type === 'function') return toMarkup(type(props));
  const { children: content, ...attributes } = props;
  const head = `<${type}${Object.entries(attributes).map(attributeMarkup).join('')}>`;
  return VOID_ELEMENTS.has(type) ? head : `${head}${toMarkup(content)}</${type}>`;
}

function attributeMarkup([name, value]: readonly [string, unknown]): string {
  if (value === null || value === undefined || value === false) return '';
  if (value === true) return ` ${name}=""`;
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`Bug: ${name} is no text`);
  return ` ${name}="${escapeHtml(String(value))}"`;
}

/** Fit for content and for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
