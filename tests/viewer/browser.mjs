// Drives the page as a user would: open, colour, solo, pick, lasso, relabel, undo, export, patch,
// reload; and pages whose names are hostile. Runs in an empty folder; see tests/viewer/run.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const {chromium} = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const gelatto = (...words) => execFileSync(process.env.GELATTO, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
const WIDTH = 1280, HEIGHT = 720;

const browser = await chromium.launch({executablePath: process.env.BROWSER,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']});

// A page that must not complain, ask for anything or run anything else.
async function openPage(name, options = {}) {
    const context = options.context ?? await browser.newContext({viewport: {width: WIDTH, height: HEIGHT}, colorScheme: options.scheme ?? 'light'});
    const page = await context.newPage(), trouble = [];
    page.on('console', m => { if (m.type() === 'error' || m.type() === 'warning' && !/GPU stall|GL Driver/.test(m.text())) trouble.push(m.text()); });
    page.on('pageerror', e => trouble.push(e.message));
    page.on('dialog', d => { trouble.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on('request', r => { if (!r.url().startsWith('file:') || !r.isNavigationRequest()) trouble.push(`request: ${r.url().slice(0, 80)}`); });
    await page.goto(`file://${process.cwd()}/${name}`);
    await page.waitForSelector('html[data-ready]', {timeout: 60000});
    assert.equal(await page.getAttribute('html', 'data-ready'), 'true');
    return {page, context, trouble};
}

let passed = 0;
async function test(name, act) {
    const begin = Date.now();
    await act();
    passed++;
    console.log(`ok   ${name} (${Date.now() - begin} ms)`);
}

// Colours of the picture without shading, except the background: "r,g,b" and how often.
const drawnColours = page => page.evaluate(() => {
    const app = window.gelatto, {gl, canvas} = app.renderer;
    app.settings.shading = 0;
    app.renderer.draw(app.views, app.drawSettings(), false);
    const bytes = new Uint8Array(4 * canvas.width * canvas.height), found = {};
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    for (let i = 0; i < bytes.length; i += 4) {
        const key = `${bytes[i]},${bytes[i + 1]},${bytes[i + 2]}`;
        found[key] = (found[key] ?? 0) + 1;
    }
    delete found['255,255,255'];
    return found;
});

gelatto('synth', 'rooms', '-o', 'rooms', '--rooms', '1', '--points', '20000', '-q');
renameSync('rooms/Area_1/office_1.ply', 'room.ply');
gelatto('view', 'room.ply', '-o', 'room.html', '-q');
const {page, context, trouble} = await openPage('room.html');
const app = expression => page.evaluate(expression);
const canvasBox = await page.locator('#canvas').boundingBox();

await test('the page opens with all points and their counts', async () => {
    assert.match(await page.textContent('#summary'), /20,000 points/);
    const counts = await page.$$eval('.class .count', nodes => nodes.map(n => +n.textContent.replace(/,/g, '')));
    assert.equal(counts.reduce((a, b) => a + b), 20000);
    await page.screenshot({path: 'light.png'});
});

await test('solo shows the colour of one class and no other', async () => {
    await page.selectOption('#mode', 'Label');
    await page.locator('.class', {hasText: 'floor'}).locator('button', {hasText: 'solo'}).click();
    const colours = await drawnColours(page);
    const floor = await app(() => window.gelatto.cloud.classes.find(c => c.name === 'floor').shade.join(','));
    assert.deepEqual(Object.keys(colours), [floor]);
    assert.ok(colours[floor] > 500);
    await page.click('#classes-all');
    assert.ok(Object.keys(await drawnColours(page)).length > 4);
});

await test('the pointer shows class, row and coordinates of the file', async () => {
    const point = await app(() => {
        const app = window.gelatto, {width, height} = app.rectangle(0);
        for (let y = height / 2; y < height; y += 7) {
            const {point} = app.pickAt(width / 2, y);
            if (point >= 0) return {point, x: width / 2, y, label: app.cloud.classes[app.cloud.marks[4 * point]].name};
        }
    });
    await page.mouse.move(canvasBox.x + point.x, canvasBox.y + point.y);
    await page.waitForSelector('#hover:not([hidden])');
    const text = await page.textContent('#hover');
    const row = +text.match(/row ([\d,]+)/)[1].replace(/,/g, '');
    assert.equal(row, point.point);
    assert.ok(text.includes(point.label));
    const [x, y, z] = text.split('\n').at(-2).trim().split(/\s+/).map(Number);
    const line = gelatto('convert', 'room.ply', 'room.txt', '-q') || readFileSync('room.txt', 'utf8').split('\n').filter(l => /^[-\d]/.test(l))[row];
    const wanted = line.split(/\s+/).slice(0, 3).map(Number);
    [x, y, z].forEach((v, k) => assert.ok(Math.abs(v - wanted[k]) < 1e-3, `${v} against ${wanted[k]}`));
});

// Drags along a polygon in parts of the canvas.
async function drag(target, polygon, close = true) {
    const at = ([x, y]) => [canvasBox.x + x * canvasBox.width, canvasBox.y + y * canvasBox.height];
    await target.mouse.move(...at(polygon[0]));
    await target.mouse.down();
    for (const corner of close ? [...polygon.slice(1), polygon[0]] : polygon.slice(1)) await target.mouse.move(...at(corner), {steps: 3});
    await target.mouse.up();
}

const square = [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]];
let selected;
await test('a lasso selects what is inside of it', async () => {
    await page.uncheck('#front');
    await page.keyboard.press('l');
    await drag(page, square);
    // the same by projecting every point in double
    const wanted = await app(() => {
        const {view, cloud, settings} = window.gelatto, {width, height} = window.gelatto.rectangle(0), m = view.camera.matrix(width / height);
        let n = 0;
        for (let i = 0; i < cloud.n; i++) {
            const p = [0, 1, 2].map(a => cloud.pos[4 * i + a] * cloud.step[a] + cloud.offset[a]);
            const clip = [0, 1, 3].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
            const x = clip[0] / clip[2], y = clip[1] / clip[2];
            if (cloud.pos[4 * i + 2] <= settings.cut * 65535 && Math.abs(x) < 0.2 && Math.abs(y) < 0.2) n++;
        }
        return n;
    });
    selected = await app(() => window.gelatto.edits.selected);
    assert.ok(Math.abs(selected - wanted) <= 0.02 * wanted, `${selected} selected, ${wanted} expected`);
    assert.match(await page.textContent('#selection'), /points selected/);
});

const labelsNow = () => app(() => Array.from({length: window.gelatto.cloud.n}, (_, i) => window.gelatto.cloud.marks[4 * i]));
let before, after;
await test('a class is assigned, undone and done again', async () => {
    before = await labelsNow();
    const chosen = await app(() => Array.from(window.gelatto.edits.selection()));
    await page.locator('.class', {hasText: 'sofa'}).click();
    assert.equal(await page.textContent('#assign'), 'Assign sofa');
    await page.click('#assign');
    const sofa = await app(() => window.gelatto.activeClass);
    after = await labelsNow();
    const inside = new Set(chosen);
    after.forEach((v, i) => assert.equal(v, inside.has(i) ? sofa : before[i]));
    await page.keyboard.press('Control+z');
    assert.deepEqual(await labelsNow(), before);
    assert.equal(await app(() => window.gelatto.edits.reviewed), 0);
    await page.keyboard.press('Control+y');
    assert.deepEqual(await labelsNow(), after);
});

await test('component, growing, brush and box select, Delete ignores', async () => {
    const centre = [canvasBox.x + canvasBox.width / 2, canvasBox.y + canvasBox.height * 0.62];
    for (const [key, act] of [['c', () => page.mouse.click(...centre)], ['g', () => page.mouse.click(...centre)],
        ['b', () => drag(page, [[0.45, 0.6], [0.55, 0.62]])], ['x', () => drag(page, [[0.62, 0.4], [0.72, 0.6]], false)]]) {
        await page.keyboard.press('Escape');
        await page.keyboard.press(key);
        await act();
        assert.ok(await app(() => window.gelatto.edits.selected) > 0, `tool ${key} selects nothing`);
    }
    const n = await app(() => window.gelatto.edits.selected), seen = await app(() => window.gelatto.edits.reviewed);
    await page.keyboard.press('Delete');
    assert.ok(await app(() => window.gelatto.edits.reviewed) > seen);
    assert.equal((await labelsNow()).filter(v => v === 255).length, n);
    after = await labelsNow();
});

await test('the patch that is exported changes these rows of the file and no others', async () => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
    await file.saveAs('room.patch.json');
    gelatto('patch', 'room.ply', 'room.patch.json', '-o', 'fixed.ply', '-q');
    gelatto('convert', 'fixed.ply', 'fixed.txt', '-q');
    const read = name => readFileSync(name, 'utf8').split('\n').filter(l => /^[-\d]/.test(l)).map(l => l.split(/\s+/));
    const old = read('room.txt'), fixed = read('fixed.txt'), numbers = await app(() => window.gelatto.cloud.classes.map(c => c.number));
    const label = 6, reviewed = fixed[0].length - 1;
    assert.equal(fixed.length, 20000);
    fixed.forEach((row, i) => {
        assert.equal(+row[label], after[i] === 255 ? 255 : numbers[after[i]], `row ${i}`);
        if (row[reviewed] === '0') assert.equal(row[label], old[i][label]);
        assert.deepEqual(row.filter((_, k) => k !== label && k !== reviewed), old[i].filter((_, k) => k !== label));
    });
});

await test('a reload brings back corrections and view', async () => {
    await page.keyboard.press('t');
    await page.waitForTimeout(900);
    const camera = await app(() => window.gelatto.view.camera.toText());
    await page.reload();
    await page.waitForSelector('html[data-ready="true"]');
    assert.deepEqual(await labelsNow(), after);
    assert.equal(await app(() => window.gelatto.view.camera.toText()), camera);
    assert.equal(await page.inputValue('#mode'), 'Label');
    await page.screenshot({path: 'corrected.png'});
    page.once('dialog', d => d.accept());
    assert.deepEqual(trouble, []);
});

await test('corrections are kept by class: a later page of the same points may list others', async () => {
    const write = (name, label) => writeFileSync(name, '# x y z label\n' + Array.from({length: 90}, (_, i) => `${i % 9} ${i / 9 | 0} ${i % 4} ${label(i)}`).join('\n') + '\n');
    write('early.txt', i => [0, 5][i % 2]);
    write('late.txt', i => [5, 7][i % 2]);
    for (const name of ['early', 'late']) gelatto('view', `${name}.txt`, '-o', `${name}.html`, '-q');
    const early = await openPage('early.html'), names = one => one.page.evaluate(() => window.gelatto.cloud.classes.map(c => c.name));
    assert.deepEqual(await names(early), ['class 0', 'class 5']);
    await early.page.evaluate(async () => {
        const {edits} = window.gelatto;
        for (const [points, label] of [[[1, 2], 1], [[3], 0], [[4], 255]]) {
            edits.select(points);
            edits.assign(label);
        }
        await edits.saveNow();
    });
    await early.page.close();
    const late = await openPage('late.html', {context: early.context});
    assert.deepEqual(await names(late), ['class 5', 'class 7', 'class 0']);
    assert.deepEqual(await late.page.evaluate(() => [1, 2, 3, 4].map(i => window.gelatto.cloud.marks[4 * i])), [0, 0, 2, 255]);
    assert.deepEqual([...early.trouble, ...late.trouble], []);
    await early.context.close();
});

// Gives points a class and waits until the browser has kept it.
const correct = (target, points, label, cloud = 0) => target.evaluate(async ([points, label, cloud]) => {
    const {edits} = window.gelatto.clouds[cloud];
    edits.select(points);
    edits.assign(label);
    await edits.saveNow();
}, [points, label, cloud]);
const reviewed = target => target.evaluate(() => window.gelatto.clouds.map(c => c.edits.reviewed));

await test('corrections whose class has another name on a later page stay for the page they belong to', async () => {
    for (const name of ['tree', 'car']) {
        writeFileSync(`${name}.txt`, `# class 5 ${name}\n${readFileSync('early.txt', 'utf8')}`);
        gelatto('view', `${name}.txt`, '-o', `${name}.html`, '-q');
    }
    const tree = await openPage('tree.html'), {context} = tree;
    await correct(tree.page, [1, 2], 1);
    await tree.page.close();
    const car = await openPage('car.html', {context});
    assert.deepEqual(await reviewed(car.page), [0]);
    assert.match(await car.page.textContent('#toast'), /2 corrections of an earlier visit left out/);
    await correct(car.page, [2, 3], 1);
    await car.page.close();
    const again = await openPage('tree.html', {context});
    assert.deepEqual(await again.page.evaluate(() => [1, 2, 3].map(i => window.gelatto.cloud.marks[4 * i + 2])), [2, 0, 0]);
    assert.deepEqual([...tree.trouble, ...car.trouble, ...again.trouble], []);
    await context.close();
});

await test('two clouds of the same points keep their own corrections', async () => {
    gelatto('view', 'early.txt', 'tree.txt', '-o', 'twice.html', '-q');
    const twice = await openPage('twice.html');
    await correct(twice.page, [1, 2, 3], 1, 1);
    await correct(twice.page, [4], 1, 0);
    await twice.page.reload();
    await twice.page.waitForSelector('html[data-ready="true"]');
    assert.deepEqual(await reviewed(twice.page), [1, 3]);
    assert.deepEqual(twice.trouble, []);
    await twice.context.close();
});

await test('the active class keeps its name in a cloud with other classes', async () => {
    gelatto('view', 'early.txt', 'late.txt', '-o', 'others.html', '-q');
    const others = await openPage('others.html'), named = () => others.page.evaluate(() => window.gelatto.cloud.classes[window.gelatto.activeClass].name);
    await others.page.locator('.class', {hasText: 'class 5'}).click();
    assert.equal(await named(), 'class 5');
    await others.page.evaluate(() => window.gelatto.activate(1));
    assert.equal(await named(), 'class 5');
    assert.deepEqual(others.trouble, []);
    await others.context.close();
});

await test('a full disk is noticed', async () => {
    const full = await browser.newContext({viewport: {width: WIDTH, height: HEIGHT}});
    const {page: one} = await openPage('early.html', {context: full});
    await one.evaluate(() => { IDBObjectStore.prototype.put = function () { const request = this.count(); this.transaction.abort(); return request; }; });
    await correct(one, [1], 0);
    assert.match(await one.textContent('#saved'), /export the patch/);
    assert.equal(await one.evaluate(() => window.gelatto.edits.unsaved), true);
    await one.evaluate(() => { window.gelatto.edits.unsaved = false; });
    await full.close();
});

await test('a graphics card that was reset draws again', async () => {
    const reset = await openPage('early.html'), {page: one} = reset;
    await one.selectOption('#mode', 'Label');
    const before = await drawnColours(one);
    await one.evaluate(async () => {
        const {renderer} = window.gelatto, {canvas} = renderer, lose = renderer.gl.getExtension('WEBGL_lose_context');
        const event = name => new Promise(done => canvas.addEventListener(name, () => setTimeout(done), {once: true}));
        const lost = event('webglcontextlost'), restored = event('webglcontextrestored');
        lose.loseContext();
        await lost;
        lose.restoreContext();
        await restored;
    });
    assert.deepEqual(await drawnColours(one), before);
    await reset.context.close();
});

await test('a browser that keeps nothing says so and asks before the page is closed', async () => {
    const closed = await browser.newContext({viewport: {width: WIDTH, height: HEIGHT}});
    await closed.addInitScript(() => { IDBFactory.prototype.open = () => { throw new Error('no store'); }; });
    const {page: one} = await openPage('early.html', {context: closed});
    await one.evaluate(async () => {
        const {edits} = window.gelatto;
        edits.select([1]);
        edits.assign(0);
        await edits.saveNow();
    });
    assert.match(await one.textContent('#saved'), /export the patch/);
    assert.equal(await one.evaluate(() => window.gelatto.edits.unsaved), true);
    await Promise.all([one.waitForEvent('download'), one.click('#export')]);
    assert.equal(await one.evaluate(() => window.gelatto.edits.unsaved), false);
    await closed.close();
});

await test('keys alone find a point, select, choose a class, assign it, and visit the tiles', async () => {
    const keys = await openPage('room.html'), {keyboard} = keys.page, state = expression => keys.page.evaluate(expression);
    await keys.page.locator('#canvas').focus();
    for (const key of ['t', 'c', ' ']) await keyboard.press(key);
    const n = await state(() => window.gelatto.edits.selected);
    assert.ok(n > 0, 'the space bar selects nothing');
    await keys.page.locator('.class .name', {hasText: 'sofa'}).focus();
    await keyboard.press('Enter');
    await keys.page.waitForTimeout(200); // the legend is made anew
    assert.equal(await state(() => document.activeElement.textContent), 'sofa');
    await keys.page.locator('#canvas').focus();
    await keyboard.press('Enter');
    assert.equal(await state(() => window.gelatto.edits.reviewed), n);
    await keys.page.locator('#tiles').focus();
    await keyboard.press('ArrowRight');
    await keys.page.waitForTimeout(200);
    assert.match(await keys.page.textContent('#tile-about'), /^x .* to .*, y .* to .*: [\d,]+ points, \d+ % reviewed$/);
    assert.deepEqual(keys.trouble, []);
    await keys.page.evaluate(() => window.gelatto.edits.saveNow());
    await keys.context.close();
});

await test('the address keeps both halves of a split view and the classes that are hidden', async () => {
    const first = await openPage('late.html'), {page: one} = first;
    await one.click('#split');
    await one.selectOption('#mode', 'Height');
    await one.locator('.class', {hasText: 'class 7'}).locator('button', {hasText: 'hide'}).click();
    await one.waitForTimeout(500);
    const state = target => target.evaluate(() => {
        const {views, clouds: [{classes, shownClasses}]} = window.gelatto;
        return {modes: views.map(v => v.mode.name), shown: classes.filter((_, i) => shownClasses[i]).map(c => c.name)};
    });
    const wanted = await state(one);
    assert.deepEqual(wanted.shown, ['class 5']);
    await one.reload();
    await one.waitForSelector('html[data-ready="true"]');
    assert.deepEqual(await state(one), wanted);
    assert.deepEqual(first.trouble, []);
    await first.context.close();
});

await test('two clouds turn together, and a part of them stands for the rest', async () => {
    gelatto('view', 'room.ply', 'fixed.ply', '--points', '5000', '-o', 'pair.html', '-q');
    const pair = await openPage('pair.html', {scheme: 'dark'});
    assert.match(await pair.page.textContent('#summary'), /5,000 of 20,000 points, 5,000 of 20,000/);
    await drag(pair.page, [[0.2, 0.5], [0.3, 0.55]]);
    assert.ok(await pair.page.evaluate(() => window.gelatto.views[0].camera === window.gelatto.views[1].camera));
    await pair.page.selectOption('#mode', 'Label');
    // a class is hidden in both: what it is called counts, not where it stands
    const shown = () => pair.page.evaluate(() => window.gelatto.clouds.map(c => c.classes.filter((_, i) => c.shownClasses[i]).map(k => k.name).join()));
    await pair.page.locator('.class', {hasText: 'wall'}).locator('button', {hasText: 'solo'}).click();
    assert.deepEqual(await shown(), ['wall', 'wall']);
    await pair.page.click('#classes-all');
    await pair.page.waitForTimeout(400);
    await pair.page.screenshot({path: 'dark.png'});
    assert.deepEqual(pair.trouble, []);
    await pair.context.close();
});

// Tensors of a safetensors file.
function readTensors(name) {
    const bytes = readFileSync(name), length = Number(bytes.readBigUInt64LE(0)), header = JSON.parse(bytes.toString('utf8', 8, 8 + length));
    return tensor => {
        const {dtype, shape, data_offsets: [from, to]} = header[tensor], piece = bytes.buffer.slice(bytes.byteOffset + 8 + length + from, bytes.byteOffset + 8 + length + to);
        return {shape, values: dtype === 'F32' ? new Float32Array(piece) : new Int32Array(piece)};
    };
}

await test('the attention shown is that of the trace: weights to 1e-3, ranks exactly', async () => {
    execFileSync(`${process.env.GELATTO.replace(/[^/]*$/, '')}examples/train`, ['model.safetensors'], {stdio: 'ignore'});
    gelatto('view', 'room.ply', '--explain', 'model.safetensors', '--rows', '77,4000', '-o', 'pass.html', '-q');
    gelatto('explain', 'model.safetensors', 'room.ply', '--point', '77', '-o', 'pass.safetensors', '-q');
    const tensor = readTensors('pass.safetensors'), {page: shown, context: own, trouble: wrong} = await openPage('pass.html');
    assert.equal(await shown.$$eval('#att-pass option', nodes => nodes.length), 2);
    let compared = 0;
    for (const level of [1, 2, 3, 4])
        for (const block of [1, 2])
            for (const head of ['geometric', 'latent'])
                for (const kind of ['mean', 'strongest']) {
                    const {values: start} = tensor(`enc${level}/block${block}/start`), {values: index} = tensor(`enc${level}/block${block}/index`);
                    const {values, shape: [, channels]} = tensor(`enc${level}/block${block}/attention_${head}`);
                    const centres = Array.from({length: 40}, (_, k) => Math.floor(k / 40 * (start.length - 1)));
                    const found = await shown.evaluate(([l, b, h, k, list]) => list.map(c => window.gelatto.explorer.trace.attention(l, b, h, k, c)), [level, block, head, kind, centres]);
                    centres.forEach((centre, k) => compared += compare(found[k], centre, {start, index, values, channels, kind}));
                }
    assert.ok(compared > 500, `${compared} weights`);
    await shown.locator('#film').fill('3');
    assert.match(await shown.textContent('#film-name'), /level 1/);
    await shown.selectOption('#att-level', '4');
    await shown.selectOption('#att-block', '2');
    await shown.locator('#att-point').fill('3');
    await shown.keyboard.press('Enter');
    assert.match(await shown.textContent('#att-about'), /^Point 3 has /);
    // what is not attended to is small, so that it hides nothing
    const sizes = await shown.evaluate(() => { const {cloud, lines} = window.gelatto.explorer; return {large: new Set(lines.flatMap(l => [l.from, l.to])).size,
        found: [1, 2].map(size => Array.from({length: cloud.n}, (_, i) => cloud.marks[4 * i + 3]).filter(v => v === size).length), n: cloud.n}; });
    assert.deepEqual(sizes.found, [sizes.n - sizes.large, sizes.large]);
    const other = shown.locator('#att-table .point').last(), name = await other.textContent();
    await other.click();
    assert.match(await shown.textContent('#att-about'), new RegExp(`^Point ${name} has `));
    await shown.selectOption('#att-pass', '1');
    await shown.waitForTimeout(300);
    await shown.screenshot({path: 'attention.png'});
    assert.deepEqual(wrong, []);
    await own.close();
});

function compare(found, centre, {start, index, values, channels, kind}) {
    const from = start[centre], to = start[centre + 1], weights = [];
    let best = from * channels;
    for (let i = from * channels; i < to * channels; i++) if (values[i] > values[best]) best = i;
    for (let i = from; i < to; i++) {
        let sum = 0;
        for (let c = 0; c < channels; c++) sum += values[i * channels + c] / channels;
        weights.push(kind === 'mean' ? Math.fround(sum) : values[i * channels + best % channels]);
    }
    assert.deepEqual(found.index, Array.from(index.slice(from, to)));
    if (kind === 'strongest') assert.equal(found.channel, best % channels);
    weights.forEach((w, k) => {
        assert.ok(Math.abs(found.weights[k] - w) <= 1e-3, `${found.weights[k]} against ${w}`);
        assert.equal(found.rank[k], weights.filter((v, j) => v > w || v === w && j < k).length);
    });
    return weights.length;
}

await test('a page of the next tiles opens at the first and goes on', async () => {
    gelatto('next', 'rooms', 'room.ply', '--tiles', '3', '-o', 'next.html', '-q');
    const next = await openPage('next.html', {scheme: 'dark'});
    const state = () => next.page.evaluate(() => {
        const {next: {tiles, at}, origin, view} = window.gelatto;
        return {at, off: Math.hypot(...[0, 1].map(k => (tiles[at].low[k] + tiles[at].high[k]) / 2 - origin[k] - view.camera.target[k])), n: tiles.length};
    });
    let found = await state();
    assert.equal(found.n, 3);
    assert.ok(found.at === 0 && found.off < 1e-6);
    assert.equal(await next.page.inputValue('#mode'), 'Label');
    const framed = await next.page.evaluate(() => {
        const image = window.gelatto.image(), {data} = image.getContext('2d').getImageData(0, 0, image.width, image.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4) n += data[i] === 255 && data[i + 1] === 115 && data[i + 2] === 0;
        return n;
    });
    assert.ok(framed > 20, `${framed} pixels of the frame of the tile in the saved image`);
    await next.page.screenshot({path: 'next-dark.png'});
    await next.page.locator('#canvas').click();
    await next.page.keyboard.press('n');
    found = await state();
    assert.ok(found.at === 1 && found.off < 1e-6);
    await next.page.keyboard.press('a');
    const selected = await next.page.evaluate(() => window.gelatto.edits.selected);
    const points = await next.page.evaluate(() => window.gelatto.next.tiles[1].points);
    assert.ok(Math.abs(selected - points) <= 0.02 * points, `${selected} selected of ${points}`);
    await next.page.keyboard.press('v');
    assert.match(await next.page.locator('#next-list .tile').nth(1).textContent(), /(9[89]|100) %/);
    await next.page.waitForTimeout(900);
    await next.page.reload();
    await next.page.waitForSelector('html[data-ready="true"]');
    assert.equal((await state()).at, 1);
    assert.deepEqual(next.trouble, []);
    await next.context.close();
});

await test('a run opens with its validation cloud, epoch by epoch, beside the truth', async () => {
    gelatto('train', 'synth:rooms rooms=1 points=1100', '-q', '-n', 'run', '--steps', '6', ...['points=256', 'block_min=64', 'levels=64', 'k=6', 'stem=8',
        'width=8', 'decoder=8', 'head_hidden=8', 'subset=2', 'lr=1e-2'].flatMap(o => ['--set', o]));
    gelatto('convert', 'runs/run1/validation.ply', 'run.txt', '-q');
    const rows = readFileSync('run.txt', 'utf8').split('\n'), head = rows.find(l => /^# x /.test(l)).split(' ').slice(1);
    const values = name => rows.filter(l => /^[-\d]/.test(l)).map(l => +l.split(' ')[head.indexOf(name)]);
    gelatto('view', 'runs/run1', '-o', 'run.html', '-q');
    const run = await openPage('run.html', {scheme: 'dark'});
    const labels = () => run.page.evaluate(() => { const {cloud} = window.gelatto; return Array.from({length: cloud.n}, (_, i) => cloud.classes[cloud.marks[4 * i]].number); });
    const frames = await run.page.evaluate(() => window.gelatto.run.frames.map(f => f.epoch));
    assert.ok(frames.length > 1);
    assert.deepEqual(await labels(), values(`epoch_${frames.at(-1)}`));
    await run.page.locator('#run-at').fill('0');
    assert.deepEqual(await labels(), values(`epoch_${frames[0]}`));
    assert.match(await run.page.textContent('#run-about'), /^Epoch \d+, step \d+: mIoU [\d.]+ %, loss/);
    assert.deepEqual(await run.page.evaluate(() => window.gelatto.views.map(v => v.mode.kind)), ['label', 'truth']);
    await run.page.evaluate(() => { window.gelatto.selectBox(); window.gelatto.assign(0); });
    assert.deepEqual(await labels(), values(`epoch_${frames[0]}`));
    await run.page.screenshot({path: 'run-dark.png'});
    assert.deepEqual(run.trouble, []);
    await run.context.close();
});

await test('hostile names, comments and attributes are text', async () => {
    const evil = '</script><script>window.evil=1</script><img src=x onerror=window.evil=1>';
    const points = Array.from({length: 60}, (_, i) => `${i % 8} ${i % 7} ${i % 5} ${i % 3} ${i}`).join('\n');
    const property = evil.replaceAll(' ', '_');
    writeFileSync('evil.ply', `ply\nformat ascii 1.0\ncomment class 0 ${evil}\ncomment class 1 javascript:window.evil=1\ncomment ${evil}\n` +
        `element vertex 60\nproperty float x\nproperty float y\nproperty float z\nproperty uchar label\nproperty float ${property}\nend_header\n${points}\n`);
    renameSync('evil.ply', '<img src=x onerror=evil=1>.ply');
    gelatto('view', '<img src=x onerror=evil=1>.ply', '-o', 'evil.html', '-q', '--title', evil, '--classes', evil, '--attributes', property);
    const hostile = await openPage('evil.html');
    assert.equal(await hostile.page.textContent('#title'), evil);
    assert.ok((await hostile.page.textContent('#legend')).includes(evil));
    await hostile.page.selectOption('#mode', property);
    await hostile.page.fill('#add-name', evil + 2);
    await hostile.page.click('#add-class button');
    await hostile.page.mouse.move(canvasBox.x + canvasBox.width / 2, canvasBox.y + canvasBox.height / 2);
    await hostile.page.evaluate(() => { window.gelatto.split(true); window.gelatto.selectBox(); window.gelatto.assign(0); });
    await hostile.page.waitForTimeout(600);
    assert.equal(await hostile.page.evaluate(() => window.evil), undefined);
    assert.deepEqual(hostile.trouble, []);
    // the policy stops what would be planted later
    await hostile.page.evaluate(() => {
        const script = document.createElement('script');
        try { script.textContent = 'window.evil = 1'; } catch { /* trusted types */ }
        document.body.append(script);
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/x.png';
        document.body.append(image);
    });
    await hostile.page.waitForTimeout(200);
    assert.equal(await hostile.page.evaluate(() => window.evil), undefined);
    assert.ok(hostile.trouble.some(t => /Content Security Policy|TrustedScript/.test(t)));
    await hostile.context.close();
});

await context.close();
await browser.close();
console.log(`${passed} passed`);
