"""Conversations in nine languages, written by hand, and what is looked for in them with what ought to be found.

A line of a talk is ``tag| text``; a question is ``words = tags`` of all messages that answer it. `ALIKE` is what the
tests' embedding model knows of words that mean the same, and it does not know all of them.
"""

from __future__ import annotations

TALKS = """\
# Bread that stays flat
bread| My bread stays flat, the dough does not rise at all. What am I doing wrong?
bread| Most likely the starter is too young. Feed it twice a day until it doubles within four hours.
oven| And how hot should the oven be?
oven| Preheat it to 250 degrees with a tray of water, then turn it down after fifteen minutes.
salt| I forgot the salt once and it tasted of nothing.
# Reisgerichte
rice| Mein Reis klebt immer am Topf fest. Was hilft?
rice| Wasche ihn vor dem Kochen, bis das Wasser klar bleibt, und rühre nicht um.
paella| Und welchen Reis nimmt man für Paella?
paella| Bomba oder Calasparra, weil das Korn die Brühe aufnimmt, ohne zu zerfallen.
# El cachorro
dog| Mi cachorro llora toda la noche, ¿qué puedo hacer?
dog| Pon su cama cerca de la tuya los primeros días y no lo castigues.
vet| ¿Cuándo tiene que ir al veterinario?
vet| A las ocho semanas para la primera vacuna contra el moquillo.
# Lame terrier
vet| Our terrier limps on the left hind leg since yesterday. Should a doctor look at it?
vet| If he does not put weight on it tomorrow, yes: it may be the cruciate ligament.
dog| He chews shoes whenever we leave him alone.
dog| Give him a toy filled with food when you go, and come back after a minute at first.
# Le chat malade
cat| Mon chat ne mange plus depuis deux jours et se cache sous le lit.
cat| Un chat qui jeûne deux jours doit être vu rapidement, son foie en souffre.
# The car does not start
car| The car only clicks when I turn the key.
car| That is the battery or its terminals. Clean them, then try jump leads.
garage| What would a garage charge for a new alternator?
garage| Between 300 and 600 with labour; ask for a rebuilt one.
tyre| When do I change to winter tyres?
tyre| As soon as mornings stay below seven degrees.
# Autokauf
car| Lohnt sich ein gebrauchtes Fahrzeug mit 120.000 Kilometern?
car| Ja, wenn der Zahnriemen gewechselt wurde und der Rost nicht tragend ist.
insure| Wie finde ich eine günstige Versicherung dafür?
insure| Vergleiche Haftpflicht mit hoher Selbstbeteiligung; Vollkasko lohnt sich bei dem Alter nicht.
# Talking about a raise
salary| I have been here for three years and want to ask for more salary. How do I begin?
salary| Collect what you achieved, name a number first, and stop talking after it.
salary| My boss says there is no budget this year.
salary| Then ask for a written date, and for more days off until that date.
# Invoice ZK-4471
invoice| The customer has not paid invoice ZK-4471 for sixty days.
invoice| Send a last reminder with a deadline of ten days, then hand ZK-4471 to a collection agency.
tax| Can I deduct the loss from my taxes?
tax| Yes, as a bad debt in the year in which it becomes final.
# Impôts
tax| Comment déclarer mes revenus de location meublée ?
tax| Avec le régime micro-BIC tu as un abattement de cinquante pour cent.
rent| Mon locataire ne paie plus son loyer, que faire ?
rent| Envoie un commandement de payer par huissier, puis saisis le tribunal.
# Wohnungssuche
rent| Der Vermieter will die Miete um zwanzig Prozent erhöhen. Darf er das?
rent| Innerhalb von drei Jahren höchstens um zwanzig, in angespannten Märkten fünfzehn Prozent.
damp| In der Ecke des Schlafzimmers wächst Schimmel.
damp| Fotografiere ihn, melde ihn schriftlich und lüfte dreimal am Tag quer.
# Slow query
sql| This query takes nine seconds on a table with two million rows.
sql| Add an index on (customer_id, created_at); EXPLAIN shows a sequential scan now.
sql| It got worse after VACUUM FULL.
sql| Run ANALYZE, the planner has no statistics after it.
# Oak table
wood| How do I get water rings out of an oak table?
wood| Rub them with walnut oil and fine steel wool along the grain.
wood| And which finish for the table keeps the colour?
wood| Hard wax oil, two thin coats.
# Import error
python| I get ModuleNotFoundError: No module named 'yaml' although I installed it.
python| The package is called PyYAML, and your virtual environment is not active.
python| Now it says ERR_SSL_9931 when pip downloads.
python| A proxy replaces the certificate: set REQUESTS_CA_BUNDLE to your company's file.
# Deadlock in the queue
thread| Two workers wait for each other forever in my program.
thread| Take both locks in the same order everywhere, or use one lock.
memory| The process grows by 50 MB an hour.
memory| A cache without a limit: give lru_cache a maxsize and look with tracemalloc.
# Git
git| I committed a password. How do I get it out of the history?
git| Revoke it first, then rewrite with git filter-repo and push with force.
git| How do I undo the last commit but keep the changes?
git| git reset --soft HEAD~1
# Не могу уснуть
sleep| Я не могу заснуть до трёх часов ночи. Что посоветуешь?
sleep| Вставай всегда в одно время, убери экран за час до сна и не пей кофе после обеда.
run| А бегать вечером вредно?
run| Лучше закончить тренировку за три часа до сна.
# Restless nights
sleep| I wake up at four every night and lie there awake.
sleep| Get up after twenty minutes, read something dull in dim light, and skip the evening wine.
child| Our baby wakes up every hour, too.
child| Put her down drowsy but awake, so that she learns to fall asleep alone.
# Läufer
run| Nach zehn Kilometern schmerzt mein Knie außen.
run| Das klingt nach dem Läuferknie: halbe Strecke, dafür Übungen für die Hüfte.
run| Welche Schuhe soll ich kaufen?
run| Wechsle zwischen zwei Paaren und achte auf wenig Sprengung, wenn die Wade es mitmacht.
# Marathon plan
run| How many weeks do I need to train for a marathon?
run| Sixteen, with one long run each week that grows to thirty-two kilometres.
# 京都旅行
kyoto| 京都で三日間の旅行を計画しています。おすすめはありますか。
kyoto| 一日目は東山、二日目は嵐山、三日目は伏見稲荷がよいでしょう。
food| 安くておいしい料理の店も知りたいです。
food| 錦市場の食べ歩きと、先斗町の小さな居酒屋をすすめます。
# Trains in Japan
kyoto| Is a rail pass worth it for a trip from Tokyo to Kyoto and back?
kyoto| Since the price went up, only with Hiroshima on top; buy single tickets otherwise.
# 学习中文
learn| 我怎样才能更快地学会汉字?
learn| 每天学五个字,用卡片复习,并且多读短文章。
# Vocabolario
learn| Come posso imparare il lessico tedesco senza dimenticarlo?
learn| Ripeti le parole a intervalli crescenti e scrivi ogni giorno tre frasi.
grammar| Quando si usa il congiuntivo dopo "penso che"?
grammar| Sempre nella lingua scritta; nel parlato molti usano l'indicativo.
# Learning the piano at forty
music| Am I too old to start the piano at forty?
music| No. Twenty minutes every day beat two hours on Sunday.
music| Which piece sounds good and is easy?
music| Satie, Gymnopédie No. 1, slowly.
# Gitarre stimmen
music| Meine Gitarre klingt verstimmt, obwohl das Stimmgerät grün zeigt.
music| Die Saiten sind alt oder die Oktavreinheit am Steg stimmt nicht.
# Tomatoes
garden| The leaves of my tomatoes turn yellow from below.
garden| Too much water or too little magnesium: water less, add Epsom salt.
garden| There are tiny green insects under the leaves.
garden| Aphids. Spray them off with water, then soap solution for a week.
# Le potager
garden| Quand faut-il semer les carottes ?
garden| De mars à juillet, en ligne, et il faut éclaircir à cinq centimètres.
hens| Mes poules ne pondent plus en hiver.
hens| C'est la lumière : quatorze heures par jour suffisent.
# Wi-Fi in the attic
wifi| The wireless signal does not reach the attic.
wifi| Put a second access point there with a cable; repeaters halve the speed.
wifi| The router R7000-X restarts every night.
wifi| R7000-X has a broken scheduler in firmware 1.0.9; install 1.0.11.
# Drucker
printer| Der Drucker zieht zwei Blätter auf einmal ein.
printer| Fächere das Papier auf und reinige die Einzugsrolle mit Alkohol.
# The phone is slow
phone| My phone has become slow and its battery is empty at noon.
phone| Look which app works in the background, and have the cell replaced below eighty percent.
photo| How do I move 20,000 pictures from it to a disk?
photo| Copy them by cable in folders by month, and check the count afterwards.
# Fotografía nocturna
photo| ¿Cómo fotografío las estrellas sin que salgan movidas?
photo| Trípode, 14 milímetros, f/2.8, ISO 3200 y veinte segundos como máximo.
# A speech for the wedding
speech| I have to speak at my sister's wedding and I am terrified.
speech| Tell one story that shows who she is, thank the guests, raise your glass, three minutes in all.
gift| What do I give the couple?
gift| Money in a nice frame, or a weekend in a cabin.
# Beerdigung
grief| Mein Großvater ist gestorben und ich soll etwas sagen.
grief| Erzähle von einem gewöhnlichen Tag mit ihm; das trägt weiter als große Worte.
# Letter of complaint
refund| The airline cancelled flight QX-208 and offers a voucher only.
refund| You are owed the money within seven days under regulation 261; cite it and set a date.
refund| They answered that the storm was extraordinary.
refund| Weather excuses compensation, not the refund of the ticket.
# Paket verloren
parcel| Das Paket gilt als zugestellt, ist aber nie angekommen.
parcel| Der Händler trägt das Risiko: fordere Ersatz und einen Nachforschungsauftrag.
# Evim
paint| Duvarı boyamadan önce astar sürmem gerekir mi?
paint| Evet, koyu renklerde ve alçıda astar boyanın tutmasını sağlar.
# Dripping tap
plumb| The tap in the kitchen drips all night.
plumb| Shut the water off, open the handle and change the cartridge or washer.
plumb| Now the drain is blocked.
plumb| A plunger first, then unscrew the trap; no chemicals.
# Riscaldamento
heat| Il termosifone è caldo solo in alto.
heat| C'è fango in basso: va lavato, oppure manca pressione nella caldaia.
# Short story
story| Give me an opening line for a story about a lighthouse keeper.
story| The lamp had not failed in forty years, and on the night it did, nobody was at sea.
story| Make it sadder.
story| On the night the lamp failed, the only ship at sea was the one bringing her home.
# Weather at the coast
storm| Will the storm reach us tonight?
storm| Gusts up to ninety from midnight; tie the boat with two more lines.
boat| Which knot holds best on a wet cleat?
boat| A cleat hitch with one full turn first.
# Погода
storm| Завтра будет дождь?
storm| Да, после обеда ливень и ветер до двадцати метров в секунду.
"""

QUESTIONS = """\
dough does not rise = bread
why is my loaf so dense = bread
preheat = oven
temperature for baking = oven
Reis = rice paella
rice sticks to the pot = rice
arroz pegado = rice
bomba = paella
puppy cries at night = dog
cachorro = dog
dog destroys things when alone = dog
Hund allein zu Hause = dog
animal doctor for a hurt leg = vet
vacuna = vet
kitten will not eat = cat
chat = cat
battery = car phone
my automobile will not start = car
used vehicle with many kilometres = car
alternator = garage
Reifen im Winter = tyre
Versicherung = insure
earn more money = salary
Gehalt verhandeln = salary
ZK-4471 = invoice
unpaid bill = invoice
taxes = tax
Steuern = tax
loyer = rent
landlord raises the rent = rent
mould on the wall = damp
index = sql
database is slow = sql
oak table = wood
table rows = sql
stains on furniture = wood
ERR_SSL_9931 = python
PyYAML = python
package not found = python
threads block each other = thread
memory leak = memory
git history = git
remove a secret from a repository = git
insomnia = sleep
не могу заснуть = sleep
schlaflos = sleep
baby = child
Knie = run
jogging hurts = run
marathon = run
京都 = kyoto
trip to Kyoto = kyoto
Reise nach Japan = kyoto
cheap restaurants = food
汉字 = learn
memorise vocabulary = learn
congiuntivo = grammar
Klavier = music
old strings sound wrong = music
carottes = garden
insects on plants = garden
yellow leaves = garden
poules = hens
R7000-X = wifi
WLAN unter dem Dach = wifi
paper jam = printer
Akku schnell leer = phone
photograph the stars = photo
fotos = photo
wedding = speech
nervous about a talk = speech
present for newlyweds = gift
funeral = grief
QX-208 = refund
flight cancelled get money back = refund
package never arrived = parcel
Paket = parcel
primer before painting = paint
tap drips = plumb
blocked sink = plumb
radiator cold = heat
lighthouse = story
storm = storm refund
will it rain = storm
Regen morgen = storm
cleat = boat
"""

ALIKE = """\
bread loaf dough brot
bake baking oven
temperature hot degrees heat
rice reis arroz riz
stick sticks klebt pegado
pot topf kitchen sink
dog puppy terrier hund cachorro welpe chews
vet veterinario doctor arzt
leg limps hurts hurt schmerzt knie
cat chat kitten
eat mange food料理
car automobile vehicle fahrzeug auto
start clicks
kilometres kilometern kilometer
winter hiver
tyres reifen tyre
salary raise earn gehalt boss money
invoice bill paid unpaid
tax taxes impôts steuern deduct déclarer revenus
rent loyer miete landlord vermieter locataire
mould schimmel damp
slow seconds query database sql
oak wood table furniture
rings stains water
package module modulenotfounderror pip
threads workers lock locks deadlock
memory cache grows
git commit repository history
password secret
sleep insomnia awake wakes drowsy заснуть сна schlaflos asleep уснуть
night nights noche ночи
baby child
run marathon jogging бегать läuferknie laufen тренировку
kyoto 京都 tokyo japan
trip reise 旅行
cheap 安 günstige
learn memorise imparare 学 lernen
vocabulary lessico parole 汉字
piano klavier guitar gitarre
strings saiten
garden plants leaves tomatoes carottes semer
insects aphids
yellow
hens poules
wireless wi-fi wlan router signal
attic dach
printer drucker
paper papier blätter
phone handy
battery akku
empty leer
photograph pictures photo fotos fotografío fotografía
stars estrellas
wedding newlyweds couple
speak speech talk
terrified nervous
gift present give
funeral gestorben beerdigung grief
flight airline
refund money
cancelled
parcel paket package
arrived angekommen delivered zugestellt
paint boya boyamadan painting
primer astar
tap drips
drain blocked
radiator termosifone heating caldaia
rain storm regen дождь ливень weather погода
tomorrow morgen завтра
"""


def talks() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each title with its messages: tag and text, the person's and the model's in turn."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in TALKS.splitlines():
        if line.startswith("# "):
            found.append((line[2:], []))
        else:
            tag, _, text = line.partition("| ")
            found[-1][1].append((tag, text))
    return found


def questions() -> list[tuple[str, frozenset[str]]]:
    """What is looked for, with the tags of what ought to be found."""
    pairs = (line.rpartition(" = ") for line in QUESTIONS.splitlines())
    return [(words, frozenset(tags.split())) for words, _, tags in pairs]


def alike() -> dict[str, int]:
    """Word → the number of what it means; the first line that has it counts."""
    found: dict[str, int] = {}
    for number, line in enumerate(ALIKE.splitlines()):
        for word in line.split():
            found.setdefault(word, number)
    return found
