// Colours of classes and of scales. Okabe and Ito (2008) and Tol (2021) can be told apart by
// colour-blind readers; viridis and cividis are monotone in lightness for everybody.

const hex = text => text.split(' ').map(c => [0, 2, 4].map(i => parseInt(c.slice(i, i + 2), 16)));

const OKABE_ITO = hex('e69f00 56b4e9 009e73 f0e442 0072b2 d55e00 cc79a7 888888');
const TOL = hex('4477aa ee6677 228833 ccbb44 66ccee aa3377 bbbbbb 332288 999933 882255 44aa99 ddcc77');

// Beyond its last colour a palette repeats, darker each time.
function cycle(list, i) {
    const dark = 1 / (1 + 0.45 * Math.floor(i / list.length));
    return list[i % list.length].map(v => Math.round(v * dark));
}

export const CLASS_PALETTES = {
    file: {name: 'Standard', colour: c => c.colour},
    okabe: {name: 'Okabe-Ito', safe: true, colour: (c, i) => cycle(OKABE_ITO, i)},
    tol: {name: 'Tol', safe: true, colour: (c, i) => cycle(TOL, i)},
};

export const SCALES = {
    viridis: hex('440154 472c7a 3b518b 2c718e 21908d 27ad81 5cc863 aadc32 fde725'),
    cividis: hex('00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 fee838'),
    grey: hex('101010 f4f4f4'),
};

export function scaleColour(stops, t) {
    const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(at), stops.length - 2);
    return stops[i].map((v, k) => Math.round(v + (stops[i + 1][k] - v) * (at - i)));
}

export const css = rgb => `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;
