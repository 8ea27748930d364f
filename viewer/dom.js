// Small helpers for the page. Text from files goes through textContent only: it is never markup.

export const byId = id => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
        if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else if (key.includes('-') || key === 'role' || key === 'for') node.setAttribute(key, value);
        else node[key] = value;
    }
    node.append(...children);
    return node;
}

// Replaces the children. If a button had the focus, the button at its position gets it.
export function refill(node, ...children) {
    const at = [...node.querySelectorAll('button')].indexOf(document.activeElement);
    node.replaceChildren(...children);
    if (at >= 0) node.querySelectorAll('button')[at]?.focus({preventScroll: true});
}

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const grouped = new Intl.NumberFormat('en-US');
export const count = n => grouped.format(n);
export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
export const percent = x => `${(100 * x).toFixed(1)} %`;

// The number of decimals that show a step of this size.
export function decimals(step) {
    return step > 0 ? clamp(Math.ceil(-Math.log10(step)), 0, 6) : 3;
}

export function download(name, blob) {
    const link = make('a', {href: URL.createObjectURL(blob), download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

let toastTimer = 0;
export function say(text) {
    const node = byId('toast');
    node.textContent = text;
    node.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { node.hidden = true; }, 4000);
}
